import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listApprovals } from '#shared/permits/approvals/list.ts'
import type { Policy } from '#shared/permits/policy/policy.ts'
import { messageTime, type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { useChannels } from '#tests/support/channels/world.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { decideAndCarryOut } from '#tests/support/permits/decide.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'

let slack: PlayedSlack
beforeAll(async () => void (slack = await startSlack()))
afterAll(() => slack.close())

const on = useChannels(() => ({ SLACK_API_URL: slack.url }))

beforeEach(async () => {
  const { token: botToken, signingSecret } = slack
  await on.create({ kind: 'slack', botToken, signingSecret })
  await on.introduce('U0ADA', slack.signed(slack.envelope(message('U0ADA'))))
  slack.posts.length = 0
})

function message(user: string) {
  const chat = { channel: `D${user.slice(1)}`, channel_type: 'im' }
  return { type: 'message', ...chat, user, text: 'Hi', ts: messageTime() }
}

/** Sends a direct message, and has the agent answer it. */
async function answered(text: string, user = 'U0ADA') {
  on.answerWith(text)
  await on.post(slack.signed(slack.envelope(message(user))))
}

const setPolicy = (policy: Policy) =>
  setPolicyOf(on.table, { userId: on.owner.id, agentId: on.agentId }, policy)

const rule = (then: 'allow' | 'ask' | 'deny', match: Record<string, string>) =>
  ({ action: 'channel.send', match, then }) as const

const texts = () => slack.posts.map(({ text }) => text)

/** Lists the approvals of the agent, the newest first. */
async function approvals() {
  const ctx = { table: on.table, owner: on.owner.id }
  return (await listApprovals(ctx, { agentId: on.agentId, limit: 20 })).items
}

/** Decides the newest approval, and lets the jobs finish. */
async function decide(decision: 'approve' | 'deny') {
  const [newest] = await approvals()
  const decided = await decideAndCarryOut(on.table, {
    userId: on.owner.id,
    approvalId: newest?.id ?? '',
    decision,
    settings: { WALLET_ENCRYPTION_KEY: encryptionKey },
  })
  await on.settle()
  return decided
}

const { use } = on

const write = (to: string, text = 'News for you') =>
  use('send_message', { channel: on.channelId, to, text })

describe('the policy of an agent and the answers of a channel', () => {
  it.each(['guarded', 'locked'] as const)(
    '%s lets answers to approved people pass',
    async (preset) => {
      await setPolicy({ preset, rules: [] })
      await answered('Yes.')
      expect(texts()).toEqual(['Yes.'])
    },
  )

  it('a denied answer is not sent, and the owner sees the rule', async () => {
    await setPolicy({ preset: 'open', rules: [rule('deny', { channel: 'slack', to: 'D0A*' })] })
    await answered('A secret')
    expect(texts()).toEqual([])
    expect((await on.delivered())[0]).toMatchObject({
      text: 'A secret',
      state: 'failed',
      reason: 'Rule 1 of the agent’s policy denies channel.send',
    })
  })

  it('an answer that needs an approval is sent once after it, and never after a denial', async () => {
    await setPolicy({ preset: 'open', rules: [rule('ask', { channel: 'slack' })] })
    await answered('May I?')
    expect(texts()).toEqual([])
    expect(await approvals()).toMatchObject([
      {
        action: 'channel.send',
        summary: 'Answer D0ADA on slack: May I?',
        details: { target: { channel: 'slack', to: 'D0ADA' }, session: 'slack:D0ADA' },
      },
    ])
    const { again } = await decide('approve')
    await again()
    await on.settle()
    expect(texts()).toEqual(['May I?'])
    expect((await approvals())[0]).toMatchObject({ state: 'done' })
    await answered('And this?')
    await decide('deny')
    expect(texts()).toEqual(['May I?'])
  })

  it('an approved answer to a person who was blocked meanwhile is not sent', async () => {
    await setPolicy({ preset: 'open', rules: [rule('ask', { channel: 'slack' })] })
    await answered('May I?')
    expect(await on.decide('U0ADA', 'block')).toBe(200)
    const { approval } = await decide('approve')
    expect(approval).toMatchObject({
      state: 'failed',
      result: { error: 'The person is no longer approved' },
    })
    expect(texts()).toEqual([])
  })
})

/** Longer than every lease. */
const longMs = 400_000

it('an answer is sent once, although it was approved while the process that asked was dead', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const counts = (method: string | symbol) => method === 'transact'
  let approved = 0
  for (let calls = 0, isAlive = false; !isAlive; calls++) {
    await setPolicy({ preset: 'open', rules: [rule('ask', { channel: 'slack' })] })
    on.answerWith(`May I ${calls}?`)
    await on.receive(slack.signed(slack.envelope(message('U0ADA'))))
    isAlive = await on.jobs.deliver(killedProcess({ calls, counts })).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Killed)) throw error
        return false
      },
    )
    const [newest] = await approvals()
    const asks = newest?.state === 'pending' && newest.summary.includes(`May I ${calls}?`)
    if (asks) await decide('approve')
    await setPolicy({ preset: 'open', rules: [] })
    for (let round = 0; round < 3; round++) {
      on.jobs.state.now += longMs
      await on.settle()
    }
    const sent = texts().filter((text) => text === `May I ${calls}?`).length
    if (asks) expect(sent).toBe(1)
    else expect(sent).toBeLessThan(2)
    if (asks && !isAlive) approved++
  }
  expect(approved).toBeGreaterThan(0)
})

describe('messages that an agent begins', () => {
  beforeEach(async () => {
    await answered('Hello')
    slack.posts.length = 0
  })

  it('go only to the chats of approved people', async () => {
    await answered('No', 'U0EVE')
    slack.posts.length = 0
    expect(await use('list_channels')).toEqual({
      channels: [{ channel: on.channelId, kind: 'slack', chats: [{ to: 'D0ADA', name: 'U0ADA' }] }],
    })
    expect(await write('D0ADA')).toEqual({ state: 'waiting' })
    await on.settle()
    expect(slack.posts).toMatchObject([{ channel: 'D0ADA', text: 'News for you' }])
    const refused = '`to` must be one of the chats that list_channels returns'
    await expect(write('D0EVE')).rejects.toThrow(refused)
    await expect(write('C0OTHER')).rejects.toThrow(refused)
    await expect(
      use('send_message', { channel: 'chn_other', to: 'D0ADA', text: 'Hi' }),
    ).rejects.toThrow('Channel not found')
    await on.decide('U0ADA', 'block')
    await expect(write('D0ADA')).rejects.toThrow(refused)
    await on.settle()
    expect(slack.posts).toHaveLength(1)
  })

  it('are denied by locked, and need an approval with guarded', async () => {
    await setPolicy({ preset: 'locked', rules: [] })
    await expect(write('D0ADA')).rejects.toMatchObject({ code: 'POLICY_DENIED' })
    await on.settle()
    expect(texts()).toEqual([])
    const reason = 'The agent’s policy (locked) denies channel.send'
    expect((await on.delivered())[0]).toMatchObject({ state: 'failed', reason })

    await setPolicy({ preset: 'guarded', rules: [] })
    const pending = await write('D0ADA')
    expect(pending).toEqual({ state: 'pending', approvalId: expect.any(String) })
    expect(await write('D0ADA')).toEqual(pending)
    expect((await approvals())[0]).toMatchObject({
      summary: 'Write to D0ADA on slack: News for you',
      details: { session: 'news' },
    })
    const { again } = await decide('approve')
    await again()
    await on.settle()
    expect(texts()).toEqual(['News for you'])
  })

  it('go to chats that had a message in the last 30 days, also of the agent', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const days = (count: number) => void vi.setSystemTime(Date.now() + count * 86_400_000)
    days(20)
    expect(await write('D0ADA')).toEqual({ state: 'waiting' })
    days(20)
    expect(await write('D0ADA')).toEqual({ state: 'waiting' })
    days(31)
    expect(await use('list_channels')).toMatchObject({ channels: [{ chats: [] }] })
    await expect(write('D0ADA')).rejects.toThrow('one of the chats that list_channels returns')
  })

  it('are at most 60 in ten minutes, with the answers', async () => {
    for (let count = 0; count < 58; count++) await write('D0ADA', `${count}`)
    await expect(write('D0ADA')).rejects.toMatchObject({ kind: 'too-many-requests' })
  })
})
