import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import { type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { type PlayedWhatsApp, startWhatsApp } from '#tests/support/channels/whatsapp.ts'
import { startFailingServer } from '#tests/support/http/failing-server.ts'
import { adapterContext } from '../adapter-context.ts'
import type { Adapter, OpenChannel } from './adapter.ts'
import { adapterOf } from './index.ts'
import type { Kind } from './kinds.ts'

let slack: PlayedSlack
let whatsapp: PlayedWhatsApp
beforeAll(async () => void ([slack, whatsapp] = await Promise.all([startSlack(), startWhatsApp()])))
afterAll(() => Promise.all([slack.close(), whatsapp.close()]))
afterEach(() => {
  delete slack.files.elsewhere
  delete whatsapp.media.elsewhere
  slack.posts.length = 0
  whatsapp.sent.length = 0
})

/** Calls an adapter of a channel at the played services. */
function adapter(kind: Kind) {
  const context = adapterContext({
    log: createLog({ function: 'test' }),
    config: {
      ...loadConfig({}),
      SLACK_API_URL: slack.url,
      WHATSAPP_API_URL: whatsapp.url,
    },
    guard: { deployed: false },
    webUrl: 'https://play.example',
    encryptionKey: undefined,
  })
  const { accessToken, phoneNumberId } = whatsapp.fields
  const channel: OpenChannel = {
    id: 'chn_1',
    agentId: 'agt_1',
    kind,
    settings: { phoneNumberId },
    secrets: { botToken: slack.token, accessToken },
  }
  const calls: Adapter = adapterOf(kind)
  return {
    async download(file: { id: string; name: string; mime: string }): Promise<string> {
      const opened = await calls.download?.(context, channel, file)
      const chunks: Uint8Array[] = []
      for await (const chunk of opened?.body ?? []) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    },
    send: (replyTo: Record<string, string>, name: string, mime: string, text = 'a,b') =>
      calls.send(context, channel, {
        replyTo,
        part: { file: { name, mime, body: new Uint8Array(Buffer.from(text)) } },
        key: 'key-00',
      }),
  }
}

describe('a file of Slack', () => {
  const picture = { name: 'cat.png', mimetype: 'image/png', bytes: Buffer.from('a picture') }
  const shared = () => ({
    id: String(slack.files.share(picture)['id']),
    name: 'cat.png',
    mime: 'image/png',
  })

  it('is read with the bot token', async () => {
    expect(await adapter('slack').download(shared())).toBe('a picture')
  })

  it('at a host that is not one of Slack is not read, and the token is not sent there', async () => {
    await using stranger = await startFailingServer((response) => response.end('mine now'))
    slack.files.elsewhere = stranger.url
    await expect(adapter('slack').download(shared())).rejects.toThrow('not stored at Slack')
    expect(stranger.seen).toEqual([])
  })

  it('is not the page for signing in, which Slack sends to an app that may not read files', async () => {
    const file = shared()
    slack.files.stored.delete(file.id)
    await expect(adapter('slack').download(file)).rejects.toThrow('file_not_found')
    const scopes = slack.scopes.splice(slack.scopes.indexOf('files:read'), 1)
    await expect(adapter('slack').download(shared())).rejects.toThrow('missing_scope')
    slack.scopes.push(...scopes)
  })

  it('is shared in its thread', async () => {
    const place = { channel: 'D0ADA', thread: '1700000000.000100' }
    const outcome = await adapter('slack').send(place, 'table.csv', 'text/csv')
    expect(outcome).toMatchObject({ state: 'sent' })
    const [id = ''] = slack.posts[0]?.files ?? []
    expect(slack.posts).toMatchObject([place])
    expect(String(slack.files.stored.get(id)?.bytes)).toBe('a,b')
  })

  it('whose last response is lost is not shared again; before that it may be', async () => {
    const place = { channel: 'D0ADA' }
    slack.meets('files.completeUploadExternal', 'lost')
    expect(await adapter('slack').send(place, 'a.txt', 'text/plain')).toMatchObject({
      state: 'unknown',
    })
    slack.meets('files.getUploadURLExternal', 'lost')
    expect(await adapter('slack').send(place, 'a.txt', 'text/plain')).toMatchObject({
      state: 'retry',
    })
  })
})

describe('a file of WhatsApp', () => {
  const received = () => ({
    id: whatsapp.media.receive({ mime: 'image/jpeg', bytes: Buffer.from('a picture') }),
    name: 'image-1.jpg',
    mime: 'image/jpeg',
  })

  it('is read in two steps, with the token', async () => {
    expect(await adapter('whatsapp').download(received())).toBe('a picture')
  })

  it('at a host that is not one of Meta is not read, and the token is not sent there', async () => {
    await using stranger = await startFailingServer((response) => response.end('mine now'))
    whatsapp.media.elsewhere = stranger.url
    await expect(adapter('whatsapp').download(received())).rejects.toThrow('not one of Meta')
    expect(stranger.seen).toEqual([])
  })

  it.each([
    ['image', 'cat.png', 'image/png'],
    ['audio', 'song.mp3', 'audio/mpeg'],
    ['document', 'table.csv', 'text/csv'],
  ])('is sent as %s', async (type, name, mime) => {
    whatsapp.open.add('15550123')
    const outcome = await adapter('whatsapp').send({ to: '15550123' }, name, mime)
    expect(outcome).toEqual({ state: 'sent', serviceId: whatsapp.sent[0]?.id })
    const body = whatsapp.sent[0]?.body as unknown as Record<string, { id: string }>
    expect(body['type']).toBe(type)
    expect(String(whatsapp.media.get(body[type]?.id ?? '')?.bytes)).toBe('a,b')
    if (type === 'document') expect(body[type]).toMatchObject({ filename: name })
  })

  it.each([
    ['program.zip', 'application/zip', 'a,b'],
    ['large.png', 'image/png', 'x'.repeat(6 << 20)],
  ])('that WhatsApp does not take, %s, has failed with the reason', async (name, mime, text) => {
    const outcome = await adapter('whatsapp').send({ to: '15550123' }, name, mime, text)
    expect(outcome).toMatchObject({ state: 'failed', reason: expect.stringContaining(mime) })
    expect(whatsapp.sent).toEqual([])
  })
})
