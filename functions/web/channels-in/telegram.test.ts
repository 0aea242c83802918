import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { useChannels } from '#tests/support/channels/world.ts'

let telegram: Awaited<ReturnType<typeof startTelegram>>
beforeAll(async () => void (telegram = await startTelegram()))
afterAll(() => telegram.close())

const on = useChannels(() => ({ TELEGRAM_API_URL: telegram.url }))

let bot: PlayedBot

beforeEach(async () => {
  bot = telegram.newBot('rhythm_bot')
  await on.create({ kind: 'telegram', token: bot.token })
})

const group = { id: -1001, type: 'supergroup' } as const

/** Sends a message to the bot in a group. @param by the chat that it is sent for */
const say = (id: number, by?: { id: number; title: string }) => {
  const said = { from: { id, first_name: 'Telegram' }, chat: group, text: 'Hi @rhythm_bot' }
  const update = bot.receive(
    by === undefined ? said : ({ ...said, sender_chat: by } as typeof said),
  )
  return on.post(bot.post(update))
}

describe('a message in the name of a chat', () => {
  // The user that all messages of linked channels are from: core.telegram.org/bots/api#message.
  const shared = 777_000

  it('is not from the user that all chats share, although this user is approved', async () => {
    expect(await on.decide(`${shared}`)).toBe(200)
    await say(shared)
    expect(on.asked()).toHaveLength(1)
    const answer = await say(shared, { id: -1002, title: 'News' })
    expect(answer.status).toBe(200)
    expect(on.asked()).toHaveLength(1)
  })

  it('gets no code', async () => {
    await say(shared, { id: -1002, title: 'News' })
    expect([on.asked(), bot.sent]).toEqual([[], []])
    await say(shared)
    expect(bot.sent).toHaveLength(1)
  })
})
