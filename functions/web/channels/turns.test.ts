import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
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
  slack.called.length = 0
})

function message() {
  const chat = { channel: 'D0ADA', channel_type: 'im' }
  return { type: 'message', ...chat, user: 'U0ADA', text: 'Hi', ts: messageTime() }
}

it('a chat shows that the agent works, until its answer is sent', async () => {
  on.answerWith('Done.', on.deliver)
  await on.post(slack.signed(slack.envelope(message())))
  expect(slack.called[0]).toBe('assistant.threads.setStatus')
  expect(slack.called.filter((method) => method === 'chat.postMessage')).toHaveLength(1)
  expect(slack.called.at(-1)).toBe('chat.postMessage')
})

it('an answer is sent, although its service does not show the work', async () => {
  slack.meets('assistant.threads.setStatus', { status: 500 })
  on.answerWith('Done.', on.deliver)
  await on.post(slack.signed(slack.envelope(message())))
  expect(slack.called).toEqual(['assistant.threads.setStatus', 'chat.postMessage'])
})

it.each(['>', '> ', '1. '])(
  'an answer of %j alone, nested too deeply to be read, is sent as it is, and the next one follows',
  async (mark) => {
    const text = mark.repeat(20_000)
    on.answerWith(text)
    await on.post(slack.signed(slack.envelope(message())))
    on.answerWith('Done.')
    await on.post(slack.signed(slack.envelope(message())))
    const sent = slack.posts.slice(-100).map((post) => post.text)
    expect(sent.at(-1)).toBe('Done.')
    expect(sent.filter((part) => part.startsWith(mark.replace('>', '&gt;').trim()))).not.toEqual([])
  },
)
