import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Queues } from '#shared/platform/queues/port.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import { deliveryRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { tickWebhooks } from '#shared/tools/webhook-endpoints/delivery/tick.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { type Posted, startWebhook, type Webhook } from '../support/tools/webhook-receiver.ts'
import { randomFrom } from './world/random.ts'

/** A large run: `WEBHOOK_EVENTS=10000 WEBHOOK_KILLS=20`. */
const size = Number(process.env.WEBHOOK_EVENTS ?? 60)
const kills = Number(process.env.WEBHOOK_KILLS ?? 2)

/** An agent's events are created one after the other; different agents' events in parallel. */
const agents = ['ada', 'ben', 'eve', 'joe'] as const

let stack: OwnStack
let hook: Webhook

beforeAll(async () => {
  useLocalCredentials()
  hook = await startWebhook()
  stack = await startOwnStack({ KILL_SWITCH: 'true' })
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await hook?.close()
})

interface Told {
  id: string
  createdAt: string
  data: { agentId: string; n: number }
}

const toldBy = ({ text }: Posted) => JSON.parse(text) as Told

it('every event is accepted under one id, although its receiver fails and everything is killed', async ({
  annotate,
}) => {
  const user = await stack.newUser()
  const { web } = stack.now()
  const made = await call(`${web}/api/webhook-endpoints`, {
    headers: user.session,
    body: { url: hook.url, events: ['run.finished'] },
  })
  expect(made.status).toBe(201)
  const random = randomFrom(20_261_123)
  const received: Posted[] = []
  let failing = true
  hook.answers((post) => {
    const chance = failing ? random.below(100) : 100
    if (chance < 15) return { status: 500 }
    if (chance < 20) return { status: 302, headers: { location: hook.url } }
    if (chance < 22) return 'never'
    received.push(post)
    return { status: 200 }
  })

  const tableNow = () =>
    dynamoTable({ tableName: 'platform', endpoint: stack.now().endpoints.dynamodb })
  const engines = enginesOf(() => stack.now().endpoints)
  const queues: Queues<'webhook-deliveries'> = {
    send: () => Promise.reject(new Error('all are sent together')),
    sendAll: async (_topic, due) =>
      due.length === 0 ? undefined : engines.sendBatch('webhook-deliveries', due),
  }
  let stored = 0
  const change = (agentId: string, n: number) => ({
    pk: `user#${user.id}`,
    sk: `change#${agentId}#${n}`,
  })
  /** Makes a change with its event exactly once, even if earlier attempts were interrupted. */
  const make = (agentId: string, n: number) =>
    eventually(async () => {
      const table = tableNow()
      if ((await table.get(change(agentId, n))) !== undefined) return
      const put = { put: change(agentId, n), if: 'attribute_not_exists(pk)' }
      const events = [{ type: 'run.finished', data: { agentId, n } }] as const
      await commit(table, { put, ...(await webhookParts({ table, queues }, user.id, events)) })
    }, 120_000)
  const each = size / agents.length
  const makers = agents.map(async (agentId) => {
    for (let n = 0; n < each; n++) {
      await make(agentId, n)
      stored++
    }
  })
  for (let kill = 1; kill <= kills; kill++) {
    await eventually(
      () => expect(stored).toBeGreaterThanOrEqual((kill * size) / (kills + 2)),
      300_000,
    )
    await stack.now().kill()
    await stack.startAgain()
  }
  await Promise.all(makers)

  failing = false
  const pending = async () => {
    const rows = await allItems((from) =>
      tableNow().query({
        pk: `user#${user.id}`,
        beginsWith: deliveryRows.prefix(),
        filter: '#status = :pending',
        values: { pending: 'pending' },
        ...from,
      }),
    )
    return rows.length
  }
  await eventually(async () => {
    // The ticks of the next day, which find deliveries that wait for a retry or were interrupted by kills.
    await tickWebhooks({ table: tableNow(), queues }, Date.now() + 86_400_000)
    expect(await pending()).toBe(0)
  }, 600_000)

  const ids = new Map<string, Set<string>>()
  for (const post of hook.posted) {
    const { id, data } = toldBy(post)
    expect(post.headers['webhook-id']).toBe(id)
    const name = `${data.agentId} ${data.n}`
    ids.set(name, (ids.get(name) ?? new Set()).add(id))
  }
  const all = agents.flatMap((agentId) => Array.from({ length: each }, (_, n) => `${agentId} ${n}`))
  expect(new Set(received.map(toldBy).map(({ data }) => `${data.agentId} ${data.n}`))).toEqual(
    new Set(all),
  )
  expect([...ids.values()].filter(({ size: count }) => count !== 1)).toEqual([])
  let inOrder = 0
  for (const agentId of agents) {
    const own = received.map(toldBy).filter(({ data }) => data.agentId === agentId)
    const first = [
      ...new Map(own.toReversed().map((told) => [told.id, told])).values(),
    ].toReversed()
    inOrder += first.filter(
      ({ data }, i) => i === 0 || data.n > Number(first[i - 1]?.data.n),
    ).length
    // Sorted by creation time, they are in order again, even if some arrived late.
    const sorted = first.toSorted(
      (a, b) => a.createdAt.localeCompare(b.createdAt) || a.data.n - b.data.n,
    )
    expect(sorted.map(({ data }) => data.n)).toEqual(Array.from({ length: each }, (_, n) => n))
  }
  await annotate(
    `${size} events, ${kills} kills: ${hook.posted.length} posts, ${received.length} taken, ${inOrder} after the one before`,
  )
})
