import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import { channelDeliveryRows } from '#shared/conversations/channels/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { Killed, killedProcess, writes } from '#tests/support/platform/killed-process.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

/** `CHANNEL_EVENTS=10000 CHANNEL_KILLS=20` runs a large test. */
const size = Number(process.env.CHANNEL_EVENTS ?? 60)
const maxKills = Number(process.env.CHANNEL_KILLS ?? 20)

/** Longer than every lease and heartbeat, in milliseconds. */
const longMs = 400_000

/** Several events of a chat wait at the same time. */
const chats = Math.max(3, Math.floor(size / 250))

/** The number of events that arrive, and of chats that are carried out, at the same time. */
const atOnce = 10

const on = usePlayedAgent()
let slack: PlayedSlack
let receiver: Webhook
let channels: ReturnType<typeof channelsOver>
let agentId: string
/** The numbers of the events that reached the agent, in order. */
const asked: number[] = []

beforeAll(async () => {
  slack = await startSlack()
  receiver = await startWebhook()
})
afterAll(async () => {
  await slack.close()
  await receiver.close()
})
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { table } = on.accounts
  channels = channelsOver(table, { SLACK_API_URL: slack.url, WEB_URL: 'https://play.example' })
  const { address } = on.agent
  agentId = (await putAgent(table, on.ada.id, { ...(address && { address }) })).id
  asked.length = slack.posts.length = receiver.posted.length = 0
  on.gateway.reply = (response, { body }) => {
    const n = numberIn(body.messages.at(-1)?.content)
    asked.push(n)
    say(response, `answer-${n}`)
  }
})
afterEach(() => void vi.useRealTimers())

type Process = ReturnType<typeof killedProcess>

/** A process can only be noticed by what it writes and sends. */
const counts = (method: string | symbol) =>
  writes(method) || method === 'send' || method === 'sendAll'

const numberIn = (text = '') => Number(/-(\d+)/.exec(text)?.[1])

async function created(body: object) {
  const { session } = on.ada
  return (await channels.call('POST', `${agentId}/channels`, { session, body })).body as {
    id: string
    secret: string
  }
}

/** Creates a channel whose only person is approved. @returns a function that sends events as Slack does */
async function slackChannel() {
  const { token: botToken, signingSecret } = slack
  const { id } = await created({ kind: 'slack', botToken, signingSecret })
  const began = Math.floor(Date.now() / 1000) - 100_000
  const receive = async (
    n: number,
    chat = n % chats,
    process?: Process,
    user = 'U0ADA',
  ): Promise<number> => {
    const event = {
      type: 'message',
      channel: `D0CHAT${chat}`,
      channel_type: 'im',
      user,
      text: `event-${n}`,
      ts: `${began + n}.000000`,
    }
    const { headers, body: text } = slack.signed(slack.envelope(event))
    return (await channels.receive(`slack/${id}`, { text, headers }, process)).status
  }
  await receive(0, 99_999)
  await channels.deliver()
  const services = { table: on.accounts.table, queues: channels.queues, config: channels.config }
  const decision = { session: on.ada.session, body: { decision: 'approve' } }
  const path = `/api/agents/${agentId}/channels/${id}/senders/U0ADA`
  expect((await callerOf({ routes: senderRoutes }, services)('POST', path, decision)).status).toBe(
    200,
  )
  slack.posts.length = 0
  return { id, receive }
}

/** @returns whether the process was killed */
async function isKilled(run: Promise<unknown>): Promise<boolean> {
  try {
    await run
    return false
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return true
  }
}

/** Starts processes again, after the leases of killed ones have expired, until no work is left. */
async function workUntilIdle(): Promise<void> {
  do {
    await channels.deliver(undefined, atOnce)
    channels.state.now += longMs
    await channels.tick()
  } while (channels.waiting.length > 0)
}

/** Carries out one event after the other, and kills the process at each of its writes, before and after it. */
async function killAtEachWrite(receive: (n: number) => Promise<unknown>): Promise<number> {
  let n = 0
  for (const isLastCarriedOut of [false, true])
    for (let isAlive = false, calls = 0; !isAlive; calls++, n++) {
      await receive(n)
      const process = killedProcess({ calls, isLastCarriedOut, counts })
      isAlive = !(await isKilled(channels.deliver(process)))
      await workUntilIdle()
    }
  return n
}

async function allDeliveries(channelId: string) {
  const { table } = on.accounts
  const pk = `user#${on.ada.id}`
  const beginsWith = channelDeliveryRows.prefix({ agentId, channelId })
  const rows = await allItems((from) => table.query({ pk, beginsWith, ...from }))
  return rows.map((row) => channelDeliveryRows.parse(row))
}

/** Returns the messages of a channel, without codes for strangers. */
async function deliveries(channelId: string) {
  const all = await allDeliveries(channelId)
  return all.filter(({ text }) => !text.includes('I do not know you yet'))
}

const isInterrupted = ({ text }: { text: string }) => text.includes('was interrupted')

it('an event has at most one turn and one answer, whichever write its process is killed at', async () => {
  const { id, receive } = await slackChannel()
  const n = await killAtEachWrite((event) => receive(event, event))

  expect(n).toBeGreaterThan(20)
  expect(asked).toHaveLength(new Set(asked).size)
  const all = await deliveries(id)
  expect(new Set(all.map(({ chat }) => chat)).size).toBe(n)
  expect(all).toHaveLength(n)
  for (const { chat, state, text } of all) {
    const posts = slack.posts.filter(({ channel }) => channel === chat)
    if (state === 'sent') expect(posts).toHaveLength(1)
    else expect([state, posts.length < 2]).toEqual(['unknown', true])
    const event = Number(chat.replace('D0CHAT', ''))
    if (!isInterrupted({ text })) expect([text, asked]).toEqual([`answer-${event}`, asked])
    if (!asked.includes(event)) expect(text).toContain('was interrupted')
  }
  expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['sent', 'unknown']))
  expect(slack.posts.some(isInterrupted)).toBe(true)
})

it('a stranger gets one code, whichever write its process is killed at', async () => {
  const { id, receive } = await slackChannel()
  const n = await killAtEachWrite((event) => receive(event, event, undefined, `U0S${event}`))

  const all = (await allDeliveries(id)).filter(({ chat }) => chat !== 'D0CHAT99999')
  expect(new Set(all.map(({ chat }) => chat)).size).toBe(n)
  expect(all).toHaveLength(n)
  for (const { chat, state } of all) {
    const posts = slack.posts.filter(({ channel }) => channel === chat).length
    expect([state, posts]).toEqual(state === 'sent' ? ['sent', 1] : ['unknown', Math.min(posts, 1)])
  }
  expect(asked).toEqual([])
})

it('an answer to a webhook is sent until it has arrived, each time with the same id', async () => {
  const body = { kind: 'webhook', promptTemplate: 'event-{{body.n}}', answerUrl: receiver.url }
  const channel = await created(body)
  const n = await killAtEachWrite((event) => channels.hook(channel, `evt_${event}`, { n: event }))

  const all = await deliveries(channel.id)
  expect(all.map(({ state }) => state)).toEqual(Array.from({ length: n }, () => 'sent'))
  const ids = receiver.posted.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(n)
  expect(ids.length).toBeGreaterThan(n)
})

it('an event whose receipt was killed is taken once when its service sends it again', async () => {
  const { id, receive } = await slackChannel()
  let n = 0
  for (const isLastCarriedOut of [false, true])
    for (let isAlive = false, calls = 0; !isAlive; calls++, n++) {
      const process = killedProcess({ calls, isLastCarriedOut, counts })
      await receive(n, n, process)
      isAlive = !process.isKilled()
      if (!isAlive) expect(await receive(n, n)).toBe(200)
    }
  await workUntilIdle()
  expect(n).toBe(6)
  expect(asked.toSorted((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i))
  expect(await deliveries(id)).toHaveLength(n)
})

it(
  'events that arrive twice and late have one turn and one answer each, in the order of their chats, under any kills',
  { timeout: 60_000 + size * 1000 },
  async () => {
    const { id, receive } = await slackChannel()
    const random = randomFrom(20_261_127)
    const shuffled = <T>(values: T[]) =>
      values
        .map((value) => ({ value, at: random.below(1_000_000) }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ value }) => value)
    const mortal = (calls: number) =>
      killedProcess({ calls: random.below(calls), isLastCarriedOut: random.percent(50), counts })

    let kills = 0
    // Each round kills one process that receives an event, and one that carries events out.
    const rounds = Math.ceil(maxKills / 2)
    const batch = Math.ceil(size / rounds)
    for (let from = 0; from < size; from += batch) {
      const to = Math.min(from + batch, size)
      const events = Array.from({ length: to - from }, (_, i) => from + i)
      const late = events.map(() => random.below(to))
      const arriving = shuffled([...events, ...events, ...late])
      const first = arriving.find((n) => n >= from) ?? from
      const process = mortal(2)
      await receive(first, first % chats, process)
      if (process.isKilled()) kills++
      for (let i = 0; i < arriving.length; i += atOnce) {
        const statuses = arriving.slice(i, i + atOnce).map((n) => receive(n))
        expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]))
      }
      const { waiting } = channels
      const twice = waiting.filter(() => random.percent(20))
      waiting.splice(0, Infinity, ...shuffled([...waiting, ...twice]))
      if (await isKilled(channels.deliver(mortal(events.length * 5)))) kills++
      await workUntilIdle()
      on.gateway.calls.length = 0
    }

    expect(kills).toBe(2 * Math.ceil(size / batch))
    expectOnceInOrder(asked)
    const answered = slack.posts.filter((post) => !isInterrupted(post))
    expectOnceInOrder(answered.map(({ text }) => numberIn(text)))
    const all = await deliveries(id)
    expect(all).toHaveLength(size)
    const unknown = all.filter(({ state }) => state === 'unknown').length
    expect(all.filter(({ state }) => state !== 'sent' && state !== 'unknown')).toEqual([])
    expect(unknown).toBeLessThanOrEqual(kills)
    expect(slack.posts.length).toBeGreaterThanOrEqual(size - unknown)
    const interrupted = all.filter(isInterrupted).length
    expect(interrupted).toBeLessThanOrEqual(kills)
    expect(asked.length).toBeGreaterThanOrEqual(size - interrupted)
  },
)

function expectOnceInOrder(numbers: number[]): void {
  expect(new Set(numbers).size).toBe(numbers.length)
  for (let chat = 0; chat < chats; chat++) {
    const ofChat = numbers.filter((n) => n % chats === chat)
    expect(ofChat).toEqual(ofChat.toSorted((a, b) => a - b))
  }
}
