import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { messageTime, type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { useChannels } from '#tests/support/channels/world.ts'

let slack: PlayedSlack
beforeAll(async () => void (slack = await startSlack()))
afterAll(() => slack.close())

const on = useChannels(() => ({ SLACK_API_URL: slack.url }))

beforeEach(async () => {
  const { token: botToken, signingSecret } = slack
  await on.create({ kind: 'slack', botToken, signingSecret })
  await on.introduce('U0ADA', slack.signed(slack.envelope(message())))
  slack.posts.length = 0
})

function message(change: object = {}) {
  return {
    type: 'message',
    channel: 'D0ADA',
    channel_type: 'im',
    user: 'U0ADA',
    text: 'Hi',
    ts: messageTime(),
    ...change,
  }
}

/** Sends a direct message, and has the agent answer it. */
async function answered(text: string, change: object = {}) {
  on.answerWith(text)
  await on.post(slack.signed(slack.envelope(message(change))))
}

const texts = () => slack.posts.map(({ text }) => text)
const newest = async () => (await on.delivered())[0]

describe('an answer to Slack', () => {
  it('has the marks of Slack, without mentions', async () => {
    await answered(
      '# Plan\n\n**Bold**, *soft*, ~~gone~~ and `a < b` by [the docs](https://a.example/?a=1&b=2).\n\n- one\n- two\n\n<!channel> <@U0BOB>',
    )
    expect(texts()).toEqual([
      '*Plan*\n\n*Bold*, _soft_, ~gone~ and `a &lt; b` by <https://a.example/?a=1&amp;b=2|the docs>.\n\n- one\n- two\n\n&lt;!channel&gt; &lt;@U0BOB&gt;',
    ])
    expect(slack.posts[0]?.unfurls).toBe(false)
  })

  it('that is long becomes messages in order, each within the limit, with its code in one block', async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i} of the table, with some words`)
    await answered(['Here:', '```', ...lines, '```', 'Done.'].join('\n'))
    expect(texts().length).toBeGreaterThan(2)
    expect(texts().every((text) => text.length <= 4000)).toBe(true)
    expect(texts().every((text) => (text.match(/```/g) ?? []).length % 2 === 0)).toBe(true)
    const found =
      texts()
        .join('\n')
        .match(/line \d+ of/g) ?? []
    expect(found).toEqual(lines.map((_, i) => `line ${i} of`))
  })

  it('is divided into several attempts while the service is slow, so that none is cut off', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    let attempts = 0
    const slow = {
      reach: <T extends object>(port: T): T =>
        new Proxy(port, {
          get: (target, name) => {
            const method: unknown = Reflect.get(target, name)
            if (typeof method !== 'function') return method
            return (...given: [{ queue?: string }, { typing?: object }]) => {
              if (name === 'transact') vi.setSystemTime(Date.now() + 5000)
              const isAttempt = name === 'send' && given[1].typing === undefined
              if (isAttempt && given[0].queue === 'channel-deliveries') attempts++
              return Reflect.apply(method, target, given) as unknown
            }
          },
        }),
    }
    on.answerWith(Array.from({ length: 6 }, (_, i) => `${i}`.repeat(3900)).join('\n'))
    await on.receive(slack.signed(slack.envelope(message())))
    await on.jobs.deliver(slow)
    expect(texts().map(([first]) => first)).toEqual(['0', '1', '2', '3', '4', '5'])
    expect(attempts).toBeGreaterThan(2)
  })

  it('waits as long as Slack says', async () => {
    slack.meets('chat.postMessage', { status: 429, retryAfter: 30 })
    const before = on.ahead()
    await answered('Later')
    expect(texts()).toEqual(['Later'])
    expect(on.ahead() - before).toBeGreaterThanOrEqual(29)
  })

  it('is sent again after an error of Slack', async () => {
    const body = { ok: false, error: 'internal_error' }
    slack.meets('chat.postMessage', { status: 503 }, { status: 200, body })
    await answered('Again')
    expect(texts()).toEqual(['Again'])
    expect(await newest()).toMatchObject({ state: 'sent', attempts: 3 })
  })

  it('whose response is lost is not sent again, and has the state unknown', async () => {
    slack.meets('chat.postMessage', 'lost')
    await answered('Once')
    expect(texts()).toEqual(['Once'])
    expect(await newest()).toMatchObject({ state: 'unknown' })
  })

  it.each<[string, object]>([
    [
      'not_in_channel (the app is not in the channel: invite it)',
      { channel: 'C0AWAY', type: 'app_mention' },
    ],
  ])('that Slack refuses has failed with the reason %s', async (reason, change) => {
    await answered('No', change)
    expect(await newest()).toMatchObject({ state: 'failed', reason: `Slack: ${reason}` })
  })

  it('that is refused with a long text has failed with its beginning', async () => {
    const body = { ok: false, error: 'x'.repeat(10_000) }
    slack.meets('chat.postMessage', { status: 200, body })
    await answered('No')
    const reason = expect.stringMatching(/^.{500}$/)
    expect(await newest()).toMatchObject({ state: 'failed', reason })
  })

  it('with a revoked token has failed with what to do', async () => {
    const { token } = slack
    slack.token = 'xoxb-0000000000-rotated'
    try {
      await answered('No')
    } finally {
      slack.token = token
    }
    const reason = expect.stringContaining('set a new one')
    expect(await newest()).toMatchObject({ state: 'failed', reason })
  })
})
