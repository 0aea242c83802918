import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { senderRoutes } from '#functions/web/agent-lifecycle/senders.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { type Departures, startDepartures } from '#tests/support/billing/account-deletions.ts'
import type { PlayedBot } from '#tests/support/channels/telegram-state.ts'
import { startTelegram } from '#tests/support/channels/telegram.ts'
import { channelsOver } from '#tests/support/conversations/channels.ts'
import { callerOf } from '#tests/support/http/caller.ts'

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
  telegram.behave(() => 'hang-up')
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

/** Returns the rows of the member's channels, without those that expire within 30 days. */
async function rows(): Promise<string[]> {
  const latest = Date.now() / 1000 + 31 * 86_400
  const { items } = await on.table.query({ pk: userPartition(member.id), beginsWith: 'channel' })
  return items
    .filter(({ expiresAt }) => expiresAt === undefined || Number(expiresAt) > latest)
    .map(({ sk }) => String(sk).split('#')[0] ?? '')
}

/** Carries out the deletions of agents. */
async function provision(): Promise<void> {
  for (const { queue, body } of on.fleet.sent.splice(0))
    if (queue === 'provisioning') await on.fleet.consume(body)
}

describe('a deleted channel', () => {
  it('leaves no registration at its service, no row, and no work', async () => {
    expect(bot.webhook?.url).toBe(`https://play.example/in/telegram/${channelId}`)
    expect(await rows()).toEqual(expect.arrayContaining(['channel', 'channel-senders']))
    const request = bot.post(bot.receive({ from: people.approved, text: 'Hi' }))
    const sent = bot.sent.length
    expect((await remove()).status).toBe(200)
    expect(bot.webhook).toBeUndefined()
    expect(await rows()).toEqual(['channel-count'])
    const { headers, body: text } = request
    const late = await channels.receive(`telegram/${channelId}`, { text, headers })
    expect(late.status).toBe(404)
    await channels.deliver()
    expect(await channels.tick()).toMatchObject({ sent: 0, tornDown: 0 })
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
  expect(await channels.tick()).toMatchObject({ sent: 0, tornDown: 0 })
})
