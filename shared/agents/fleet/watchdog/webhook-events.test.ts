import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { newId } from '#shared/platform/ids.ts'
import { deliveryRows, endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { storedTypes } from '#shared/signals/outbound-webhooks/types.ts'
import { startWatchdog, type TestWatchdog } from '#tests/support/agents/watchdog.ts'
import { deleteAgent } from '../delete.ts'

// Deliveries with an old date would have expired.
const start = Date.now()
let dog: TestWatchdog
let endpointId: string

beforeAll(async () => {
  dog = await startWatchdog()
})
afterAll(() => dog.close())
beforeEach(async () => {
  dog.health.status = 200
  const userId = 'usr_1'
  endpointId = newId(endpointRows.id)
  await dog.ctx.table.put(
    endpointRows.put(
      { userId, endpointId },
      {
        id: endpointId,
        userId,
        url: 'https://example.com/',
        events: [...storedTypes],
        epoch: 0,
        secret: 'sealed',
        createdAt: new Date(start).toISOString(),
      },
    ),
  )
})

async function events(): Promise<unknown[]> {
  const { items } = await dog.ctx.table.query({
    pk: 'user#usr_1',
    beginsWith: deliveryRows.prefix({ endpointId }),
  })
  const texts = items.map((item) => deliveryRows.parse(item).text)
  return texts.map((text) => JSON.parse(text) as unknown)
}

it('a check that passes, or fails once, sends no event', async () => {
  const agent = await dog.runningAgent(start)
  await dog.check(agent, start)
  dog.health.status = 503
  await dog.check(agent, start + 120_000)
  expect(await events()).toEqual([])
})

it('a repair and its success send one event each', async () => {
  const agent = await dog.runningAgent(start)
  dog.health.status = 503
  for (const seconds of [0, 5, 10]) await dog.check(agent, start + seconds * 1000)
  expect(await events()).toMatchObject([
    {
      type: 'agent.crashed',
      createdAt: new Date(start + 10_000).toISOString(),
      data: { agentId: agent.id, name: 'Ada', cause: 'its health check answered 503' },
    },
  ])
  await dog.check(agent, start + 15_000)
  await dog.startTask(agent)
  dog.health.status = 200
  await dog.check(agent, start + 45_000)
  await dog.check(agent, start + 45_000, start + 45_000)
  const types = (await events()).map((event) => (event as { type: string }).type)
  expect(types.toSorted()).toEqual([
    'agent.crashed',
    'agent.repaired',
    'agent.running',
    'run.finished',
  ])
})

it('an agent that is given up sends an event', async () => {
  const agent = await dog.runningAgent(start)
  dog.health.status = 503
  await dog.failAll(agent, start)
  const types = (await events()).map((event) => (event as { type: string }).type)
  expect(types.toSorted()).toEqual([
    'agent.crashed',
    'agent.given_up',
    // The starts of its repairs.
    'run.failed',
    'run.failed',
  ])
})

it('a deletion and the start that it interrupts send one event each', async () => {
  const agent = await dog.runningAgent(start)
  await deleteAgent(dog.ctx, { agentId: agent.id, owner: undefined })
  await deleteAgent(dog.ctx, { agentId: agent.id, owner: undefined })
  const deleted = { type: 'agent.deleted', data: { agentId: agent.id, name: 'Ada', cause: null } }
  expect(await events()).toMatchObject([deleted])
})
