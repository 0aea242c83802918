import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { startObjects } from '#stacks/local/objects/server.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { job, wire } from './mails.ts'

it('mails with attachments are sent one after another, and others do not wait for them', async () => {
  useLocalCredentials()
  const dir = await mkdtemp(join(tmpdir(), 'mails-attached-'))
  const objects = await startObjects({ dir: join(dir, 'objects') })
  let open = 0
  let most = 0
  let plain = 0
  const service = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      if (String(Buffer.concat(chunks)).includes('Attachments')) {
        most = Math.max(most, ++open)
        while (plain === 0) await setImmediate()
        open--
      } else plain++
      response.setHeader('content-type', 'application/json').end('{"MessageId":"1"}')
    })
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    service.closeAllConnections()
    service.close()
    await objects.close()
    await rm(dir, { recursive: true })
  })
  const config = loadConfig({
    SES_ENDPOINT: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    S3_ENDPOINT: objects.endpoint,
  })
  await s3WholeObjects(config).put('mails/out/1', Buffer.from('A report'))
  const mail = { to: 'ada@b.co', subject: 'S', text: 'T', html: 'H' }
  const attachments = [{ name: 'report.txt', mime: 'text/plain', key: 'mails/out/1' }]
  const ctx = wire(config).services
  const handle = (message: object) => job.handle(ctx as never, message as never)
  const attached = Array.from({ length: 5 }, () => handle({ ...mail, attachments }))
  await handle(mail)
  await Promise.all(attached)
  expect([most, plain]).toEqual([1, 1])
  const gone = handle({ ...mail, attachments: [{ ...attachments[0], key: 'mails/out/2' }] })
  const next = handle({ ...mail, attachments })
  await expect(gone).rejects.toThrow('does not exist')
  await next
})
