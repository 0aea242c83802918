import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { telegramChannel, telegramContext } from '#tests/support/channels/telegram-channel.ts'
import { flood, Refusal } from '#tests/support/channels/telegram-methods.ts'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import type { AdapterContext, Inbound } from '../adapter.ts'
import { telegram } from './adapter.ts'

let service: Awaited<ReturnType<typeof startTelegram>>
let bot: PlayedBot
let ctx: AdapterContext

beforeAll(async () => {
  service = await startTelegram()
})
afterAll(() => service.close())
beforeEach(() => {
  service.behave(() => undefined)
  bot = service.newBot('rhythm_bot')
  ctx = telegramContext(service.url)
})

const receiveUrl = 'https://agents.example.com/in/telegram/chn_1'

const channelOf = (of: PlayedBot = bot, username?: string) => telegramChannel(of, username)

function inboundOf({ headers, body }: { headers: Record<string, string>; body: string }): Inbound {
  return {
    method: 'POST',
    headers: new Headers(headers),
    query: new URLSearchParams(),
    body: Buffer.from(body),
  }
}

/** Returns the events that Telegram's request for a message gives. */
async function received(said: Parameters<PlayedBot['receive']>[0]) {
  await telegram.setUp(ctx, channelOf(), receiveUrl)
  const inbound = inboundOf(bot.post(bot.receive(said)))
  await telegram.verify(ctx, channelOf(), inbound)
  return telegram.read(channelOf(), inbound, Date.now())
}

const send = (
  part: Parameters<typeof telegram.send>[2]['part'],
  replyTo: Record<string, string> = { chat: '77' },
) => telegram.send(ctx, channelOf(), { replyTo, part, key: 'k1' })

describe('the set-up of a bot', () => {
  it('registers the address with a secret that only its requests know', async () => {
    expect(await telegram.setUp(ctx, channelOf(), receiveUrl)).toEqual({
      settings: { username: 'rhythm_bot' },
    })
    expect(bot.webhook).toEqual({ url: receiveUrl, secret: expect.stringMatching(/^[\w-]{43}$/) })
    const post = bot.post(bot.receive({ text: 'Hi' }))
    await telegram.verify(ctx, channelOf(), inboundOf(post))
    const other = service.newBot()
    for (const headers of [
      {},
      { 'x-telegram-bot-api-secret-token': '' },
      { 'x-telegram-bot-api-secret-token': `${bot.webhook?.secret}x` },
    ])
      await expect(
        telegram.verify(ctx, channelOf(), inboundOf({ ...post, headers })),
      ).rejects.toMatchObject({ kind: 'unauthorized' })
    for (const foreign of [channelOf(other), { ...channelOf(), id: 'chn_2' }])
      await expect(telegram.verify(ctx, foreign, inboundOf(post))).rejects.toThrow('secret token')
  })

  it.each([
    ['a token that Telegram does not know', () => service.revoke(bot), 'bad-request', 'accept'],
    ['an address that Telegram refuses', () => {}, 'bad-request', 'HTTPS'],
    [
      'a failure of Telegram',
      () => service.behave(() => new Refusal(500, 'Internal Server Error')),
      'bad-gateway',
      'failed',
    ],
    ['a broken connection', () => service.behave(() => 'hang-up'), 'bad-gateway', 'reached'],
  ])('fails for %s', async (_, happens, kind, message) => {
    happens()
    const failure = telegram.setUp(ctx, channelOf(), 'http://agents.example.com/in')
    await expect(failure).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(message) as string,
    })
    await failure.catch((error: unknown) => expect(String(error)).not.toContain(bot.token))
  })

  it('ends the registration without an address, and when it is removed', async () => {
    for (const end of [
      () => telegram.setUp(ctx, channelOf(), undefined),
      () => telegram.tearDown?.(ctx, channelOf()),
    ]) {
      await telegram.setUp(ctx, channelOf(), receiveUrl)
      await end()
      expect(bot.webhook).toBeUndefined()
    }
  })
})

describe('a message', () => {
  it('of a person has their name, and its chat gets the answer', async () => {
    const ada = { id: 5, first_name: 'Ada', last_name: 'L', username: 'ada' }
    expect(await received({ from: ada, text: 'Hello 👋' })).toEqual([
      {
        id: `${bot.id}:${bot.updates.at(-1)?.update_id}`,
        chat: '5',
        sender: { id: '5', name: 'Ada L (@ada)', bot: false },
        text: 'Hello 👋',
        files: [],
        replyTo: { chat: '5' },
        at: expect.any(Number) as number,
        codes: true,
      },
    ])
  })

  it('of a topic belongs to a chat of its own, a reply in a plain group does not', async () => {
    const chat = { id: -100_7, type: 'supergroup' as const }
    const topic = { chat, message_thread_id: 9, is_topic_message: true, text: 'Hi' }
    expect(await received(topic)).toMatchObject([
      { chat: '-1007:9', replyTo: { chat: '-1007', thread: '9', message: expect.any(String) } },
    ])
    const reply = { chat, message_thread_id: 9, text: 'Hi' }
    expect(await received(reply)).toMatchObject([{ chat: '-1007' }])
  })

  it('of a group leads to a code only if it is for the bot', async () => {
    const chat = { id: -8, type: 'group' as const }
    const codesOf = async (said: object) => (await received({ chat, ...said }))[0]?.codes
    expect(await codesOf({ text: 'Hi all' })).toBe(false)
    expect(await codesOf({ text: 'Hi @Rhythm_Bot' })).toBe(true)
    expect(await codesOf({ text: 'Yes', reply_to_message: { from: { id: bot.id } } })).toBe(true)
    const other = { id: 6, first_name: 'Other', is_bot: true }
    expect(await codesOf({ from: other, text: '@rhythm_bot' })).toBe(false)
  })

  it('has its largest photo, its documents and its caption', async () => {
    const photo = [bot.file(Buffer.alloc(10)), bot.file(Buffer.alloc(90))]
    expect(await received({ photo, caption: 'Look' })).toMatchObject([
      {
        text: 'Look',
        files: [{ id: photo[1]?.file_id, mime: 'image/jpeg', bytes: 90 }],
      },
    ])
    const document = { ...bot.file(Buffer.from('a,b')), file_name: 'a.csv', mime_type: 'text/csv' }
    expect(await received({ document })).toMatchObject([
      { text: '', files: [{ name: 'a.csv', mime: 'text/csv', bytes: 3 }] },
    ])
  })

  it.each([
    ['a sticker', { sticker: { emoji: '🥁' } }, '[sticker 🥁]'],
    ['a location', { location: { latitude: 1.5, longitude: -2 } }, '[location: 1.5, -2]'],
    [
      'a place',
      {
        location: { latitude: 1, longitude: 2 },
        venue: { location: { latitude: 1, longitude: 2 }, title: 'Quay', address: 'Main St' },
      },
      '[place: Quay, Main St (1, 2)]',
    ],
    [
      'a contact',
      { contact: { phone_number: '+4912', first_name: 'Bo', last_name: 'Li' } },
      '[contact: Bo Li, +4912]',
    ],
  ])('with %s says so in its text', async (_, said, text) => {
    expect(await received(said)).toMatchObject([{ text, files: [] }])
  })

  it.each([
    ['no JSON', '{'],
    ['an edited message', JSON.stringify({ update_id: 1, edited_message: { text: 'x' } })],
    ['a message without text', JSON.stringify({ update_id: 1, message: { message_id: 1 } })],
  ])('that is %s gives no event', (_, body) => {
    expect(telegram.read(channelOf(), inboundOf({ headers: {}, body }), 0)).toEqual([])
  })

  it('has files that can be downloaded up to 20 MB', async () => {
    const content = Buffer.from('the content')
    const { file_id: id } = bot.file(content, 'a b.txt')
    const file = { id, name: 'a b.txt', mime: 'text/plain' }
    const found = await telegram.download?.(ctx, channelOf(), file)
    const chunks: Uint8Array[] = []
    for await (const chunk of found?.body ?? []) chunks.push(chunk)
    expect(Buffer.concat(chunks)).toEqual(content)
    const large = bot.file(Buffer.alloc(20 * 1024 * 1024 + 1))
    for (const one of [
      { id: large.file_id, name: 'large', mime: 'video/mp4' },
      { id, name: 'large', mime: 'video/mp4', bytes: 21 << 20 },
    ])
      await expect(telegram.download?.(ctx, channelOf(), one)).rejects.toMatchObject({
        kind: 'payload-too-large',
      })
    const unknown = { id: 'unknown', name: 'x', mime: 'x' }
    await expect(telegram.download?.(ctx, channelOf(), unknown)).rejects.toMatchObject({
      kind: 'bad-gateway',
    })
  })
})

describe('an answer', () => {
  it('is divided into messages that Telegram takes, and loses nothing', async () => {
    const words = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ')
    const parts = telegram.split(`**Bold** ${words}\n\n${'🥁'.repeat(5000)}`)
    expect(parts.length).toBeGreaterThan(3)
    for (const text of parts) expect(await send({ text })).toMatchObject({ state: 'sent' })
    const all = bot.sent.map(({ text }) => text).join(' ')
    expect(all.match(/word\d+/g)).toHaveLength(3000)
    expect(all.match(/🥁/gu)).toHaveLength(5000)
    expect(all).not.toContain('**')
  })

  it('goes to the topic, replies to the message of a group, and shows no preview', async () => {
    // Telegram would request the address for a preview.
    const text = 'Yes: https://evil.example'
    await send({ text }, { chat: '-1007', thread: '9', message: '4' })
    expect(bot.sent).toEqual([{ chatId: '-1007', threadId: 9, replyTo: 4, text }])
  })

  it('has pictures as photos, and other files as documents', async () => {
    const body = Buffer.from('content')
    const photo = { name: 'a.png', mime: 'image/png', body }
    const csv = { name: 'a.csv', mime: 'text/csv', body }
    const large = { ...photo, body: Buffer.alloc((10 << 20) + 1) }
    for (const file of [photo, csv, large])
      expect(await send({ file })).toMatchObject({ state: 'sent' })
    expect(bot.sent.map(({ file }) => [file?.kind, file?.name])).toEqual([
      ['photo', 'a.png'],
      ['document', 'a.csv'],
      ['document', 'a.png'],
    ])
    expect(bot.sent[0]?.file?.bytes).toEqual(body)
    service.behave((method) =>
      method === 'sendPhoto'
        ? new Refusal(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS')
        : undefined,
    )
    await send({ file: photo })
    expect(bot.sent.at(-1)?.file?.kind).toBe('document')
  })

  it('waits as long as Telegram says, and is not repeated where Telegram may have it', async () => {
    service.behave(() => flood(7))
    expect(await send({ text: 'Hi' })).toMatchObject({ state: 'retry', afterSeconds: 7 })
    service.behave(() => new Refusal(502, 'Bad Gateway'))
    expect(await send({ text: 'Hi' })).toMatchObject({ state: 'retry' })
    service.behave(() => 'hang-up')
    expect(await send({ text: 'Hi' })).toMatchObject({ state: 'unknown' })
    ctx = telegramContext('http://127.0.0.1:1')
    expect(await send({ text: 'Hi' })).toMatchObject({ state: 'retry' })
  })

  it('fails for good if the chat is closed, and follows a group that became a supergroup', async () => {
    bot.closed.set('77', 'blocked').set('78', 'missing')
    expect(await send({ text: 'Hi' })).toEqual({
      state: 'failed',
      reason: 'Forbidden: bot was blocked by the user',
    })
    expect(await send({ text: 'Hi' }, { chat: '78' })).toMatchObject({ state: 'failed' })
    let moved = false
    service.behave(() => {
      if (moved) return undefined
      moved = true
      return new Refusal(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -1008 })
    })
    expect(await send({ text: 'Hi' }, { chat: '-8' })).toMatchObject({ state: 'sent' })
    expect(bot.sent).toMatchObject([{ chatId: '-1008', text: 'Hi' }])
  })

  it('is announced by showing that the bot is typing', async () => {
    await telegram.typing?.(ctx, channelOf(), { chat: '77', thread: '9' })
    expect(bot.typing).toEqual(['77'])
  })
})
