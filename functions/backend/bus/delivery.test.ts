import { Webhook as StandardWebhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeConfig } from '#shared/agents/fleet/config/change.ts'
import { agentKey } from '#shared/agents/record/agent.ts'
import { showConfig } from '#shared/agents/record/config/show.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { attemptBusDelivery } from '#shared/network/bus/delivery/attempt.ts'
import { tickDeliveries } from '#shared/network/bus/delivery/tick.ts'
import type { DeliveryRef } from '#shared/network/bus/delivery/topic.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { type Bus, busCaller, signed, type Signer } from '#tests/support/network/bus.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { startWebhook, type Webhook } from '#tests/support/tools/webhook-receiver.ts'

interface Sent {
  message: DeliveryRef
  delaySeconds: number | undefined
}

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })
const sent: Sent[] = []
const queues: Queues = {
  send: async (_topic, message, { delaySeconds } = {}) =>
    void sent.push({ message: message as DeliveryRef, delaySeconds }),
  sendAll: async (_topic, messages) =>
    void sent.push(
      ...messages.map((message) => ({ message: message as DeliveryRef, delaySeconds: undefined })),
    ),
}

let database: TestTable
let bus: Bus
let hook: Webhook
let ada: Signer
let bob: Signer

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table, { queues })
})
afterAll(() => database.close())
beforeEach(async () => {
  sent.length = 0
  hook = await startWebhook()
  ada = await bus.signer(await bus.subscriber())
  bob = await bus.signer(await bus.subscriber())
  await configure({ webhookUrl: hook.url, webhookSecret: secret })
  return () => hook.close()
})

async function configure(change: Record<string, unknown>) {
  const { id: agentId, userId } = bob.agent
  const agent = (await readAgent(database.table, { userId, agentId })) ?? bob.agent
  const ctx = { table: database.table, queues, config }
  bob = { ...bob, agent: await changeConfig(ctx, { agent, change, apply: false }) }
}

const context = () => ({
  table: database.table,
  queues,
  config,
  guard: { deployed: false },
  log: createLog({ function: 'test' }),
})
/** Handles a message like the queue's consumer. */
const consume = (message: DeliveryRef) => attemptBusDelivery(context(), message)
const last = () => sent.at(-1)?.message as DeliveryRef

/** Returns the messages that the tick sends for one bus message at a time. Other tests leave messages of their own. */
async function asksFor(messageId: string, later = 86_400_000): Promise<DeliveryRef[]> {
  sent.length = 0
  await tickDeliveries(context(), Date.now() + later)
  return sent.map(({ message }) => message).filter((one) => one.messageId === messageId)
}

describe('a message to an agent with a webhook', () => {
  it('is sent unchanged, with a signature that another library verifies', async () => {
    const input = await signed(ada, bob.agent, {
      payload: { text: 'h\u00e9llo \u{1F600}', n: 1e21 },
      metadata: { replyTo: 'x' },
    })
    expect((await bus.send(input)).status).toBe(200)
    const [post] = hook.posted
    expect(new StandardWebhook(secret).verify(post!.text, post!.headers as never)).toEqual(input)
    expect(post!.headers).toMatchObject({
      'webhook-id': input.messageId,
      'content-type': 'application/json',
    })
    expect(await bus.inboxOf(bob)).toEqual([])
    expect(sent).toEqual([])
    expect(await asksFor(input.messageId)).toEqual([])
  })

  it.each([201, 204, 299])('is delivered after a status %i', async (status) => {
    hook.answers({ status })
    expect((await bus.send(await signed(ada, bob.agent))).status).toBe(200)
  })

  it('follows no redirect', async () => {
    hook.answers({ status: 307, headers: { location: `${hook.url}/elsewhere` } })
    const { status, body } = await bus.send(await signed(ada, bob.agent))
    expect([status, body.code]).toEqual([500, 'DELIVERY_FAILED'])
    expect(hook.posted.map(({ path }) => path)).toEqual(['/hook'])
  })

  it('fails if nothing responds within five seconds', async () => {
    hook.answers('never')
    const { status, body } = await bus.send(await signed(ada, bob.agent))
    expect([status, body.code]).toEqual([500, 'DELIVERY_FAILED'])
    expect(hook.posted).toHaveLength(1)
  })
})

describe('a delivery that fails', () => {
  it('is retried after 5 s, 30 s and 2 minutes under one id, and then goes to the inbox', async () => {
    hook.answers({ status: 500 })
    const input = await signed(ada, bob.agent)
    const { status, body } = await bus.send(input)
    expect(status).toBe(500)
    expect(body).toMatchObject({ code: 'DELIVERY_FAILED', messageId: input.messageId })
    expect((await bus.send(input)).status).toBe(409)
    for (const delaySeconds of [5, 30, 120]) {
      expect(sent.at(-1)).toMatchObject({ delaySeconds })
      expect(await bus.inboxOf(bob)).toEqual([])
      await consume(last())
    }
    expect(sent).toHaveLength(3)
    expect(hook.posted.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(4).fill(input.messageId),
    )
    expect((await bus.inboxOf(bob)).map(({ message }) => message)).toEqual([input])
    await consume(last())
    expect(await bus.inboxOf(bob)).toHaveLength(1)
    expect(await asksFor(input.messageId)).toEqual([])
  })

  it('continues with the address and the secret of its first attempt', async () => {
    hook.answers({ status: 503 })
    await bus.send(await signed(ada, bob.agent))
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    await configure({ webhookUrl: `${hook.url}/new`, webhookSecret: other })
    hook.answers({ status: 200 })
    await consume(last())
    const post = hook.posted.at(-1)
    expect(post?.path).toBe('/hook/new')
    expect(new StandardWebhook(other).verify(post!.text, post!.headers as never)).toBeTruthy()
    expect(sent).toHaveLength(1)
  })

  it('goes to the inbox at once if the webhook was removed', async () => {
    hook.answers({ status: 503 })
    const input = await signed(ada, bob.agent)
    await bus.send(input)
    await configure({ webhookUrl: null })
    await consume(last())
    expect((await bus.inboxOf(bob)).map(({ message }) => message)).toEqual([input])
    expect(hook.posted).toHaveLength(1)
  })

  it('runs once per attempt, in any order and number of deliveries', async () => {
    hook.answers({ status: 503 })
    await bus.send(await signed(ada, bob.agent))
    const first = last()
    await Promise.all([consume(first), consume(first), consume({ ...first, attempt: 4 })])
    await consume(first)
    expect(hook.posted).toHaveLength(2)
  })

  it('is found by the tick if its queue message was lost, and not before', async () => {
    hook.answers({ status: 503 })
    await bus.send(await signed(ada, bob.agent))
    const lost = last()
    expect(await asksFor(lost.messageId, 0)).toEqual([])
    expect(await asksFor(lost.messageId, 60_000)).toEqual([lost])
    hook.answers({ status: 200 })
    await consume(lost)
    expect(hook.posted).toHaveLength(2)
    expect(await asksFor(lost.messageId)).toEqual([])
  })
})

it('a delivery is enqueued once by the tick until it is consumed, and again after five minutes', async () => {
  hook.answers({ status: 500 })
  const input = await signed(ada, bob.agent)
  await bus.send(input)
  const next = [{ messageId: input.messageId, attempt: 2 }]
  sent.length = 0
  const tomorrow = Date.now() + 86_400_000
  await Promise.all([1, 2, 3].map(() => tickDeliveries(context(), tomorrow)))
  expect(
    sent.flatMap(({ message }) => (message.messageId === input.messageId ? message : [])),
  ).toEqual(next)
  expect(await asksFor(input.messageId, 86_400_000 + 240_000)).toEqual([])
  expect(await asksFor(input.messageId, 86_400_000 + 360_000)).toEqual(next)
})

it('a message whose recipient is deleted in the meantime leaves nothing in the inbox', async () => {
  const { id: agentId, userId } = bob.agent
  hook.answers({ status: 500 })
  const input = await signed(ada, bob.agent)
  await bus.send(input)
  await configure({ webhookUrl: null })
  const table = before(database.table, async (name) => {
    if (name === 'transact') await database.table.delete(agentKey({ userId, agentId }))
  })
  await attemptBusDelivery({ ...context(), table }, last())
  const left = await database.table.query({ pk: `user#${userId}`, beginsWith: 'inbox' })
  expect(left.items).toEqual([])
  expect(await asksFor(input.messageId)).toEqual([])
})

describe('the secret of a webhook', () => {
  it('is generated at the first delivery if it is absent, and then stays', async () => {
    const old = await bus.signer(await bus.subscriber(), { config: { webhookUrl: hook.url } })
    for (let i = 0; i < 2; i++)
      expect((await bus.send(await signed(ada, old.agent))).status).toBe(200)
    const { id: agentId, userId } = old.agent
    const agent = await readAgent(database.table, { userId, agentId })
    expect((await showConfig({ config }, agent!)).webhookSecret).toMatch(/^••••.{4}$/)
    expect(agent?.revision).toBe(2)
    for (const { headers } of hook.posted)
      expect(headers['webhook-signature']).toMatch(/^v1,.{43}=$/)
  })

  it('a webhook secret that cannot be generated fails the attempt, and the message goes to the inbox after the last one', async () => {
    const old = await bus.signer(await bus.subscriber(), { config: { webhookUrl: hook.url } })
    const keyless = loadConfig({})
    const input = await signed(ada, old.agent)
    const answer = await busCaller(database.table, { queues, config: keyless }).send(input)
    expect([answer.status, answer.body.code]).toEqual([500, 'DELIVERY_FAILED'])
    for (const _ of [2, 3, 4]) await attemptBusDelivery({ ...context(), config: keyless }, last())
    expect((await bus.inboxOf(old)).map(({ message }) => message)).toEqual([input])
    expect(hook.posted).toEqual([])
  })
})
