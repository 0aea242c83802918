import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { messageTime, type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { useChannels } from '#tests/support/channels/world.ts'

let slack: PlayedSlack
beforeAll(async () => void (slack = await startSlack()))
afterAll(() => slack.close())

const on = useChannels(() => ({ SLACK_API_URL: slack.url }))

beforeEach(async () => {
  const { token: botToken, signingSecret } = slack
  await on.create({ kind: 'slack', botToken, signingSecret })
  await on.introduce('U0ADA', slack.signed(slack.envelope(direct({ channel: 'D0FIRST' }))))
  slack.posts.length = 0
  slack.members.clear()
})

const direct = (change: object = {}) => ({
  type: 'message',
  channel: 'D0ADA',
  channel_type: 'im',
  user: 'U0ADA',
  text: 'Hi',
  ts: messageTime(),
  ...change,
})
const inChannel = (change: object = {}) =>
  direct({ channel: 'C0TEAM', channel_type: 'channel', ...change })

/** Delivers an event as Slack does, and carries out all that follows. @returns the status */
async function deliver(event: Record<string, unknown>) {
  const { status } = await on.post(slack.signed(slack.envelope(event)))
  return status
}

describe('a channel of Slack', () => {
  it('answers a direct message, and the same message of a retry once', async () => {
    const event = direct()
    expect(await deliver(event)).toBe(200)
    const again = slack.signed({ ...slack.envelope(event), event_id: 'EvAnother' })
    again.headers['x-slack-retry-num'] = '1'
    expect((await on.post(again)).status).toBe(200)
    expect(on.asked()).toEqual(['Hi'])
    expect(await on.sessions()).toContain('slack:D0ADA')
    expect(slack.posts).toEqual([expect.objectContaining({ channel: 'D0ADA', text: 'Well.' })])
    expect((await on.delivered())[0]).toMatchObject({ state: 'sent', reason: null })
  })

  it('answers a mention in a thread once, although Slack sends two events', async () => {
    slack.members.add('C0TEAM')
    const ts = messageTime()
    const text = `<@${slack.botUserId}> is 1 &lt; 2, <#C1|general>?`
    await deliver(inChannel({ text, ts }))
    await deliver(inChannel({ type: 'app_mention', text, ts }))
    expect(on.asked()).toEqual(['is 1 < 2, #general?'])
    expect(await on.sessions()).toContain(`slack:C0TEAM:${ts}`)
    expect(slack.posts).toMatchObject([{ channel: 'C0TEAM', thread: ts }])
  })

  it('follows a thread that it takes part in, and no other', async () => {
    slack.members.add('C0TEAM')
    const mine = messageTime()
    await deliver(inChannel({ text: `<@${slack.botUserId}> hello`, ts: mine }))
    await deliver(inChannel({ text: 'and then?', thread_ts: mine }))
    await deliver(inChannel({ text: 'between us', thread_ts: messageTime() }))
    await deliver(inChannel({ text: 'to nobody' }))
    expect(on.asked()).toEqual(['hello', 'and then?'])
    expect(slack.posts.map(({ thread }) => thread)).toEqual([mine, mine])
  })

  it('gives a stranger one code, and a stranger in a thread of others none', async () => {
    slack.members.add('C0TEAM')
    await deliver(direct({ user: 'U0BOB', channel: 'D0BOB' }))
    await deliver(direct({ user: 'U0BOB', channel: 'D0BOB' }))
    const ts = messageTime()
    await deliver(inChannel({ text: `<@${slack.botUserId}> hello`, ts }))
    await deliver(inChannel({ user: 'U0EVE', text: 'hm', thread_ts: ts }))
    expect(on.asked()).toHaveLength(1)
    expect(slack.posts.map(({ channel: place }) => place)).toEqual(['D0BOB', 'C0TEAM'])
    expect(slack.posts[0]?.text).toMatch(/code: [A-Z2-9]{8}/)
  })

  it.each<[string, () => object]>([
    ['its own', () => ({ user: slack.botUserId, bot_id: slack.botId })],
    ['another app', () => ({ bot_id: 'B0OTHER', bot_profile: { id: 'B0OTHER' } })],
    ['an old integration', () => ({ subtype: 'bot_message', bot_id: 'B0OLD', user: undefined })],
    ['Slack itself', () => ({ user: 'USLACKBOT' })],
    ['an edit', () => ({ subtype: 'message_changed', message: { text: 'x' }, hidden: true })],
    ['a deletion', () => ({ subtype: 'message_deleted', deleted_ts: '1.000001', hidden: true })],
    ['someone who joined', () => ({ subtype: 'channel_join' })],
  ])('ignores a message of %s', async (_, change) => {
    expect(await deliver(direct(change()))).toBe(200)
    expect([on.asked(), slack.posts]).toEqual([[], []])
  })
})
