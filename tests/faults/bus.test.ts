import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tickDeliveries } from '#shared/network/bus/delivery/tick.ts'
import { messageRows } from '#shared/network/bus/rows.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { startWebhook, type Webhook } from '../support/tools/webhook-receiver.ts'

/** A large run: `BUS_MESSAGES=1000 BUS_KILLS=20`. */
const size = Number(process.env.BUS_MESSAGES ?? 40)
const kills = Number(process.env.BUS_KILLS ?? 2)

let stack: OwnStack
let hook: Webhook

beforeAll(async () => {
  useLocalCredentials()
  hook = await startWebhook()
  // No agent starts: this test is about messages, which agents receive without running.
  stack = await startOwnStack({ KILL_SWITCH: 'true' })
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await hook?.close()
})

async function agentWith(user: TestUser, config: Record<string, unknown>): Promise<string> {
  const { backend } = stack.now()
  const headers = stack.asInternal(user.id)
  const { body } = await call(`${backend}/api/agents`, { headers, body: { name: 'Ada', config } })
  return String(body.id)
}

const bus = (path: string) => `${stack.now().backend}/api/underground/bus${path}`

async function signedMessage(from: string, to: string) {
  const message = {
    messageId: randomUUID(),
    timestamp: new Date().toISOString(),
    from: { agentId: from },
    to: { agentId: to },
    action: 'NOTE',
    payload: { text: 'hello' },
  }
  const answer = await call(bus('/sign'), { headers: stack.asInternal(), body: message })
  const { signature, address: walletAddress } = answer.body
  return { ...message, from: { ...message.from, walletAddress }, signature }
}

type Message = Awaited<ReturnType<typeof signedMessage>>

/** Sends a message until the platform acknowledges it; a kill may interrupt each attempt. */
const insist = (message: Message) =>
  eventually(async () => {
    const { status, body } = await call(bus('/send'), { body: message })
    if (body.code !== 'DELIVERY_FAILED') expect(status).toBeOneOf([200, 409])
  }, 120_000)

it('each accepted message arrives once in the inbox or at the webhook, under any kills', async () => {
  const [ann, ben] = [await stack.newSubscriber('network'), await stack.newSubscriber()]
  const from = await agentWith(ann, {})
  const to = [await agentWith(ben, {}), await agentWith(ben, { webhookUrl: hook.url })] as const
  const messages: Message[] = []
  for (let i = 0; i < size; i++) messages.push(await signedMessage(from, to[i % 2] ?? ''))

  let sent = 0
  const waiting = [...messages]
  const sender = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await insist(next)
      sent++
    }
  }
  const senders = Array.from({ length: 4 }, sender)
  for (let kill = 1; kill <= kills; kill++) {
    await eventually(() => expect(sent).toBeGreaterThanOrEqual((kill * size) / (kills + 2)))
    await stack.now().kill()
    await stack.startAgain()
  }
  await Promise.all(senders)

  const table = dynamoTable({ tableName: 'platform', endpoint: stack.now().endpoints.dynamodb })
  const engines = enginesOf(() => stack.now().endpoints)
  const queues: Queues<'bus-deliveries'> = {
    send: () => Promise.reject(new Error('the tick sends many')),
    sendAll: async (_topic, due) =>
      due.length === 0 ? undefined : engines.sendBatch('bus-deliveries', due),
  }
  await eventually(async () => {
    // The tick one minute later, which finds deliveries that kills have interrupted.
    await tickDeliveries({ table, queues }, Date.now() + 60_000)
    const rows = await table.getMany(messages.map((message) => messageRows.key(message)))
    expect(rows.filter((row) => row === undefined || row.open !== undefined)).toEqual([])
  }, 60_000)

  const idsFor = (agentId: string | undefined) =>
    messages.filter(({ to: { agentId: id } }) => id === agentId).map(({ messageId }) => messageId)
  const answer = await call(bus(`/inbox?agentId=${to[0]}&limit=100`), {
    headers: stack.asInternal(),
  })
  if (size <= 100) {
    const inbox = answer.body.messages as { message: Message }[]
    const stored = inbox.map(({ message }) => message.messageId)
    expect(stored.toSorted()).toEqual(idsFor(to[0]).toSorted())
  }
  const posted = hook.posted.map(({ headers }) => headers['webhook-id'])
  expect(new Set(posted)).toEqual(new Set(idsFor(to[1])))
  const counts = await table.query({ pk: `user#${ann.id}`, beginsWith: 'bus-count#' })
  expect(counts.items.reduce((sum, { count }) => sum + Number(count), 0)).toBe(size)
})
