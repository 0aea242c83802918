import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import { turnRows } from '#shared/ai/turns/rows.ts'
import { channelDeliveryRows } from '#shared/conversations/channels/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { type PlayedSlack, startSlack } from '#tests/support/channels/slack.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

/** `CHANNEL_EVENTS=10000 CHANNEL_KILLS=20` runs a large test. */
const size = Number(process.env.CHANNEL_EVENTS ?? 60)
const maxKills = Number(process.env.CHANNEL_KILLS ?? 20)

/** Longer than every lease. */
const longMs = 400_000

const chats = 40
const everyRound = 2

const on = usePlayedAgent()
let slack: PlayedSlack
let channels: ReturnType<typeof channelsOver>
let agentId: string
let channelId: string

beforeAll(async () => {
  slack = await startSlack()
  const { table } = on.accounts
  channels = channelsOver(table, {
    SLACK_API_URL: slack.url,
    WEB_URL: 'https://play.example',
  })
})
afterAll(() => slack.close())
beforeEach(async () => {
  const { accounts, ada } = on
  const { address } = on.agent
  agentId = (await putAgent(accounts.table, ada.id, { ...(address && { address }) })).id
  on.gateway.reply = (response, { body }) =>
    say(response, `answer-${numberIn(body.messages.at(-1)?.content)}`)
  const { session } = ada
  const body = { kind: 'slack', botToken: slack.token, signingSecret: slack.signingSecret }
  const created = await channels.call('POST', `${agentId}/channels`, { session, body })
  channelId = String(created.body['id'])
  await received(0, { chat: 99_999 })
  await channels.deliver()
  const services = { table: accounts.table, queues: channels.queues, config: channels.config }
  const path = `/api/agents/${agentId}/channels/${channelId}/senders/U0ADA`
  const decision = { session, body: { decision: 'approve' } }
  const call = callerOf({ routes: senderRoutes }, services)
  expect((await call('POST', path, decision)).status).toBe(200)
  slack.posts.length = 0
})

type Process = Parameters<typeof channels.receive>[2]

const numberIn = (text = '') => Number(/-(\d+)/.exec(text)?.[1])

const began = Math.floor(Date.now() / 1000) - 100_000

/** Sends an event as Slack does. */
async function received(
  n: number,
  { chat = n % chats, process }: { chat?: number; process?: Process } = {},
) {
  const { headers, body } = slack.signed(
    slack.envelope({
      type: 'message',
      channel: `D0CHAT${chat}`,
      channel_type: 'im',
      user: 'U0ADA',
      text: `event-${n}`,
      ts: `${began + n}.000000`,
    }),
  )
  return (await channels.receive(`slack/${channelId}`, { text: body, headers }, process)).status
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

/** Lets the leases and heartbeats of killed processes expire, and requests the work that they left. */
async function restart(): Promise<void> {
  channels.state.now += longMs
  const { table } = on.accounts
  const pk = `user#${on.ada.id}`
  const beginsWith = turnRows.prefix()
  for (const { sk, state } of await allItems((from) => table.query({ pk, beginsWith, ...from })))
    if (state === 'active') await table.update({ pk, sk: String(sk) }, { set: { aliveUntil: 0 } })
  await channels.tick()
}

/** Restarts processes until no work is left. */
async function workUntilIdle(): Promise<void> {
  do {
    await channels.deliver()
    await restart()
  } while (channels.waiting.length > 0)
}

async function deliveries() {
  const { table } = on.accounts
  const pk = `user#${on.ada.id}`
  const beginsWith = channelDeliveryRows.prefix({ agentId, channelId })
  const rows = await allItems((from) => table.query({ pk, beginsWith, ...from }))
  const parsed = rows.map((row) => channelDeliveryRows.parse(row))
  return parsed.filter(({ text }) => !text.includes('I do not know you yet'))
}

/** The numbers of the events that reached the agent, in order. */
const asked = () => on.gateway.calls.map(({ body }) => numberIn(body.messages.at(-1)?.content))

/** The numbers of the events that were answered, in order. */
const answered = () => slack.posts.map(({ text }) => numberIn(text)).filter((n) => !Number.isNaN(n))

const interrupted = () => slack.posts.filter(({ text }) => text.includes('was interrupted')).length

function expectOnceInOrder(numbers: number[]): void {
  expect(new Set(numbers).size).toBe(numbers.length)
  for (let chat = 0; chat < chats; chat++) {
    const ofChat = numbers.filter((n) => n % chats === chat)
    expect(ofChat).toEqual(ofChat.toSorted((a, b) => a - b))
  }
}

it('an event has at most one turn and one answer, whatever call its process is killed at', async () => {
  let n = 0
  const ends = [false, true]
  for (const isLastCarriedOut of ends)
    for (let isAlive = false, calls = 0; !isAlive; calls++, n++) {
      await received(n, { chat: n })
      isAlive = !(await isKilled(channels.deliver(killedProcess({ calls, isLastCarriedOut }))))
    }
  await workUntilIdle()

  expect(n).toBeGreaterThan(40)
  expect(asked().length).toBe(new Set(asked()).size)
  const all = await deliveries()
  expect(new Set(all.map(({ chat }) => chat)).size).toBe(n)
  expect(all).toHaveLength(n)
  for (const { chat, state } of all) {
    const posts = slack.posts.filter(({ channel }) => channel === chat).length
    if (state === 'sent') expect(posts).toBe(1)
    else expect([state, posts < 2]).toEqual(['unknown', true])
  }
  const isUnknown = new Set(all.map(({ state }) => state)).has('unknown')
  expect([isUnknown, interrupted() > 0]).toEqual([true, true])
})

it(
  'events that arrive twice and late have one turn and one answer each, in the order of their chats, under any kills',
  { timeout: 300_000 + size * 2000 },
  async () => {
    const random = randomFrom(20_261_127)
    const shuffled = <T>(values: T[]) =>
      values
        .map((value) => ({ value, at: random.below(1_000_000) }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ value }) => value)
    let kills = 0
    const mortal = (calls: number) =>
      killedProcess({ calls: random.below(calls), isLastCarriedOut: random.percent(50) })

    const rounds = Math.ceil(maxKills / everyRound)
    const batch = Math.ceil(size / rounds)
    for (let from = 0; from < size; from += batch) {
      const to = Math.min(from + batch, size)
      const events = Array.from({ length: to - from }, (_, i) => from + i)
      const late = events.map(() => random.below(to))
      const doomed = random.below(events.length)
      for (const [i, n] of shuffled([...events, ...events, ...late]).entries()) {
        const process = i === doomed ? mortal(8) : undefined
        if ((await received(n, { ...(process && { process }) })) === 200) continue
        kills++
        expect(await received(n)).toBe(200)
      }
      channels.waiting.splice(0, Infinity, ...shuffled(channels.waiting))
      if (await isKilled(channels.deliver(mortal(events.length * 25)))) kills++
      await restart()
      await workUntilIdle()
    }

    expect(kills).toBeGreaterThan(maxKills / 4)
    expectOnceInOrder(asked())
    expectOnceInOrder(answered())
    const all = await deliveries()
    expect(all).toHaveLength(size)
    const unknown = all.filter(({ state }) => state === 'unknown')
    expect(unknown.length).toBeLessThanOrEqual(kills)
    expect(all.filter(({ state }) => state !== 'sent' && state !== 'unknown')).toEqual([])
    expect(size - asked().length).toBeLessThanOrEqual(interrupted() + unknown.length)
    expect(size - slack.posts.length).toBeLessThanOrEqual(unknown.length)
    expect(answered().length + interrupted()).toBe(slack.posts.length)
  },
)
