import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { telegramChannel, telegramContext } from '#tests/support/channels/telegram-channel.ts'
import { Refusal } from '#tests/support/channels/telegram-methods.ts'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import type { AdapterContext } from '../adapter.ts'
import { telegram } from './adapter.ts'

let service: Awaited<ReturnType<typeof startTelegram>>
let bot: PlayedBot
let ctx: AdapterContext

beforeAll(async () => {
  service = await startTelegram()
  ctx = telegramContext(service.url)
})
afterAll(() => service.close())
beforeEach(() => {
  service.behave(() => undefined)
  bot = service.newBot('rhythm_bot')
})

const receiveUrl = 'https://agents.example.com/in/telegram/chn_1'

describe('a poll', () => {
  it('returns the pictures of an album as one message', async () => {
    const picture = (group: string, more = {}) =>
      bot.receive({ photo: [bot.file(Buffer.alloc(9))], media_group_id: group, ...more })
    picture('g1', { caption: 'Look' })
    picture('g1')
    picture('g2')
    bot.receive({ text: 'Seen?' })
    const found = await telegram.poll?.(ctx, telegramChannel(bot), '')
    expect(found?.events.map(({ text, files }) => [text, files.length])).toEqual([
      ['Look', 2],
      ['', 1],
      ['Seen?', 0],
    ])
  })

  it('of another bot under the same channel begins with its first message', async () => {
    bot.receive({ text: 'one' })
    const first = await telegram.poll?.(ctx, telegramChannel(bot), '')
    const next = service.newBot()
    next.receive({ text: 'two' })
    const found = await telegram.poll?.(ctx, telegramChannel(next), first?.cursor ?? '')
    expect(found?.events.map(({ text }) => text)).toEqual(['two'])
  })

  it('returns each message once, also one that arrives while it waits', async () => {
    bot.receive({ text: 'one' })
    bot.receive({ text: 'two' })
    const first = await telegram.poll?.(ctx, telegramChannel(bot), '')
    expect(first?.events.map(({ text }) => text)).toEqual(['one', 'two'])
    const waits = telegram.poll?.(ctx, telegramChannel(bot), first?.cursor ?? '')
    await expect.poll(() => bot.wake).toBeDefined()
    bot.receive({ text: 'three' })
    expect((await waits)?.events.map(({ text }) => text)).toEqual(['three'])
  })

  it.each([
    ['another receiver', () => telegram.setUp(ctx, telegramChannel(bot), receiveUrl), 'conflict'],
    ['a revoked token', () => service.revoke(bot), 'unauthorized'],
    ['a failure of Telegram', () => service.behave(() => new Refusal(500, 'x')), 'bad-gateway'],
  ])('fails for %s', async (_, happens, kind) => {
    await happens()
    await expect(telegram.poll?.(ctx, telegramChannel(bot), '')).rejects.toMatchObject({ kind })
  })
})
