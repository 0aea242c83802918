import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { type Departures, startDepartures } from '#tests/support/billing/account-deletions.ts'
import { Refusal } from '#tests/support/channels/telegram-methods.ts'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { say, Upstream } from '../../../agent/gateway/testing/upstream.ts'

const people = { approved: { id: 7, first_name: 'Ada' }, stranger: { id: 8, first_name: 'Eve' } }

let on: Departures
let telegram: Awaited<ReturnType<typeof startTelegram>>
let channels: ReturnType<typeof channelsOver>
let bot: PlayedBot
let member: Awaited<ReturnType<Departures['member']>>
let agentId: string
let channelId: string

beforeAll(async () => {
  on = await startDepartures()
  telegram = await startTelegram()
})
afterAll(async () => {
  telegram.close()
  await on.close()
})

/** A message that its agent has not answered, one that Telegram did not take, and a stranger with a code. */
beforeEach(async () => {
  on.fleet.forget()
  telegram.behave(() => undefined)
  const settings = { TELEGRAM_API_URL: telegram.url, WEB_URL: 'https://play.example' }
  channels = channelsOver(on.table, settings)
  bot = telegram.newBot()
  member = await on.member()
  const [agent] = await on.agents(member.id, 1)
  agentId = String(agent?.id)
  const { session } = member
  const body = { kind: 'telegram', token: bot.token }
  channelId = String(
    (await channels.call('POST', `${agentId}/channels`, { session, body })).body['id'],
  )
  await receive(people.approved)
  await channels.deliver()
  const call = callerOf({ routes: senderRoutes }, { ...channels, table: on.table })
  const path = `/api/agents/${agentId}/channels/${channelId}/senders/7`
  expect((await call('POST', path, { session, body: { decision: 'approve' } })).status).toBe(200)
  telegram.behave(() => new Refusal(500, 'Internal Server Error'))
  await receive(people.stranger)
  await channels.deliverOne()
  await channels.deliverOne()
  telegram.behave(() => undefined)
  await receive(people.approved)
})

async function receive(from: (typeof people)['approved']): Promise<number> {
  const { headers, body: text } = bot.post(bot.receive({ from, text: 'Hi' }))
  return (await channels.receive(`telegram/${channelId}`, { text, headers })).status
}

const remove = () =>
  channels.call('DELETE', `${agentId}/channels/${channelId}`, { session: member.session })

interface Left {
  name: string
  expires: boolean
}

/** Returns the rows of the member's channels, without the records of events and deliveries. */
async function rows(): Promise<Left[]> {
  const latest = Date.now() / 1000 + 31 * 86_400
  const { items } = await on.table.query({ pk: userPartition(member.id), beginsWith: 'channel' })
  return items
    .map(({ sk, expiresAt }) => ({
      name: String(sk).split('#')[0] ?? '',
      expires: Number(expiresAt ?? Infinity) < latest,
    }))
    .filter(({ name }) => name !== 'channel-event' && name !== 'channel-delivery')
}

/** Returns the work of the channel that the schedule requests. */
async function requested() {
  await channels.tick()
  const work = channels.waiting as readonly { body: { channelId?: string } }[]
  return work.filter(({ body }) => body.channelId === channelId)
}

/** Carries out the deletions of agents. */
async function provision(): Promise<void> {
  for (const { queue, body } of on.fleet.sent.splice(0))
    if (queue === 'provisioning') await on.fleet.consume(body)
}

const suffixes = ['chat', 'count', 'outbox', 'part', 'senders', 'waiting']

it('a channel keeps nothing beyond 30 days but itself and the decisions about senders', async () => {
  const kept = (await rows()).filter(({ expires }) => !expires).map(({ name }) => name)
  expect(kept).toEqual(['channel', 'channel-count', 'channel-senders'])
})

describe('a deleted channel', () => {
  it('leaves no registration at its service, no row, and no work', async () => {
    expect(bot.webhook?.url).toBe(`https://play.example/in/telegram/${channelId}`)
    const before = new Set((await rows()).map(({ name }) => name))
    expect([...before]).toEqual(['channel', ...suffixes.map((suffix) => `channel-${suffix}`)])
    const request = bot.post(bot.receive({ from: people.approved, text: 'Hi' }))
    const sent = bot.sent.length
    expect((await remove()).status).toBe(200)
    expect(bot.webhook).toBeUndefined()
    expect(await rows()).toEqual([{ name: 'channel-count', expires: false }])
    const { headers, body: text } = request
    const late = await channels.receive(`telegram/${channelId}`, { text, headers })
    expect(late.status).toBe(404)
    await channels.deliver()
    expect(await requested()).toEqual([])
    expect(bot.sent).toHaveLength(sent)
    expect((await remove()).status).toBe(404)
  })

  it('is removed at its service later, if that cannot be reached', async () => {
    telegram.behave(() => 'hang-up')
    expect((await remove()).status).toBe(200)
    expect(await channels.tick()).toMatchObject({ tornDown: 1 })
    expect(bot.webhook).toBeDefined()
    telegram.behave(() => undefined)
    await channels.tick()
    expect(bot.webhook).toBeUndefined()
    expect(await channels.tick()).toMatchObject({ tornDown: 0 })
  })

  it('whose token was revoked is not tried again', async () => {
    telegram.revoke(bot)
    expect((await remove()).status).toBe(200)
    expect(await channels.tick()).toMatchObject({ tornDown: 0 })
  })
})

it('a deleted agent leaves no channel at its service, and no row', async () => {
  const path = `/api/agents/${agentId}`
  expect((await on.call('DELETE', path, { user: member.id })).status).toBe(200)
  await provision()
  expect(await rows()).toEqual([])
  await channels.tick()
  expect(bot.webhook).toBeUndefined()
})

it('an agent that is deleted while it answers sends nothing, and no row is left', async () => {
  await using gateway = await Upstream.start()
  const { hostname: host, port } = new URL(gateway.baseUrl)
  const address = { host, port: Number(port) }
  const set = { status: 'running', desired: 'running', address }
  const agent = { pk: userPartition(member.id), sk: `agent#${agentId}` }
  await on.table.update(agent, { set })
  const sent = bot.sent.length
  gateway.reply = async (response) => {
    await on.call('DELETE', `/api/agents/${agentId}`, { user: member.id })
    await provision()
    say(response, 'Too late')
  }
  channels.waiting.splice(0)
  await receive(people.approved)
  await channels.deliver()
  expect(gateway.calls).toHaveLength(1)
  expect(bot.sent).toHaveLength(sent)
  expect(await rows()).toEqual([])
  expect(await on.table.query({ pk: agent.pk, beginsWith: `channel-` })).toEqual({ items: [] })
})

it('a deleted account leaves no channel at its services, and no row', async () => {
  const { session } = member
  const body = { password: 'correct horse' }
  const answer = await on.routeOver()('POST', '/api/account/delete', { session, body })
  expect(answer.status).toBe(202)
  await on.carryOut(member.id)
  await provision()
  expect(await rows()).toEqual([])
  await channels.tick()
  expect(bot.webhook).toBeUndefined()
  await channels.deliver()
  expect(await requested()).toEqual([])
})
