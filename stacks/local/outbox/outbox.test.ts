import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SendEmailCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { expect, test } from 'vitest'
import { localCredentials } from '../clients/credentials.ts'
import { temporaryDir } from '../testing/harness.ts'
import { startOutbox } from './server.ts'

test('a mail sent through the SDK is written to its own file', async () => {
  await using dir = await temporaryDir()
  const outbox = await startOutbox({ dir: join(dir.path, 'outbox') })
  const ses = new SESv2Client({ endpoint: outbox.endpoint, ...localCredentials() })
  const send = (to: string) =>
    ses.send(
      new SendEmailCommand({
        FromEmailAddress: 'Platform <no-reply@example.com>',
        Destination: { ToAddresses: [to] },
        Content: {
          Simple: {
            Subject: { Data: 'Grüße' },
            Body: { Text: { Data: 'Hello' }, Html: { Data: '<p>Hello</p>' } },
          },
        },
      }),
    )
  const began = Date.now()
  const answers = await Promise.all(['a@example.com', 'b@example.com'].map(send))
  expect(new Set(answers.map(({ MessageId }) => MessageId)).size).toBe(2)

  const names = await readdir(join(dir.path, 'outbox'))
  expect(names).toHaveLength(2)
  const mails = await Promise.all(
    names.map(async (name) => {
      const path = join(dir.path, 'outbox', name)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>
    }),
  )
  expect(mails.map(({ to }) => to).sort()).toEqual(['a@example.com', 'b@example.com'])
  for (const mail of mails) {
    expect(mail).toEqual({
      from: 'Platform <no-reply@example.com>',
      to: expect.any(String),
      subject: 'Grüße',
      text: 'Hello',
      html: '<p>Hello</p>',
      headers: { 'Message-ID': expect.stringMatching(/^<[^<>\s]+@localhost>$/) },
      sentAt: expect.stringMatching(/Z$/),
    })
    const sentAt = Date.parse(mail['sentAt'] ?? '')
    expect(sentAt).toBeGreaterThanOrEqual(began)
    expect(sentAt).toBeLessThanOrEqual(Date.now())
  }
  ses.destroy()
  await outbox.close()
})

test('an invalid mail is rejected as SES does', async () => {
  await using dir = await temporaryDir()
  const outbox = await startOutbox({ dir: dir.path })
  const ses = new SESv2Client({ endpoint: outbox.endpoint, ...localCredentials() })
  const empty = new SendEmailCommand({ Destination: { ToAddresses: [] }, Content: {} })
  await expect(ses.send(empty)).rejects.toMatchObject({ name: 'BadRequestException' })
  const headers = { authorization: 'AWS4-HMAC-SHA256 Credential=any/day/place/ses/aws4_request' }
  const withHeader = (Name: string, Value: string) =>
    ses.send(
      new SendEmailCommand({
        FromEmailAddress: 'no-reply@example.com',
        Destination: { ToAddresses: ['a@example.com'] },
        Content: {
          Simple: { Subject: { Data: 'S' }, Body: {}, Headers: [{ Name, Value }] },
        },
      }),
    )
  for (const [name, value] of [
    ['Message-ID', '<own@example.com>'],
    ['References', `<${'a'.repeat(1000)}@example.com>`],
    ['X-Text', 'first\r\nBcc: eve@example.com'],
  ] as const)
    await expect(withHeader(name, value)).rejects.toMatchObject({ name: 'BadRequestException' })
  const elsewhere = await fetch(`${outbox.endpoint}/v2/email/identities`, { headers })
  expect(elsewhere.status).toBe(404)
  expect(await readdir(dir.path)).toEqual([])
  ses.destroy()
  await outbox.close()
})
