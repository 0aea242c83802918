import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Query } from '../platform/table/port.ts'
import { newId } from '../platform/ids.ts'
import { agentShards, shardOf, toItem } from '../agents/agent.ts'
import { startWatchdog, type TestWatchdog } from '../../tests/support/watchdog.ts'
import { WakeMessage } from './messages.ts'
import { tick } from './tick.ts'

const now = Date.UTC(2026, 0, 1)
const count = 1000
let dog: TestWatchdog
const due = new Set<string>()

/** Large rows, so that no shard fits into one page of 1 MB. */
const config = { notes: 'x'.repeat(30_000) }

beforeAll(async () => {
  dog = await startWatchdog()
  const pattern = await dog.runningAgent(now, 3600)
  const agents = Array.from({ length: count - 1 }, (_, n) => {
    const isDue = n % 4 !== 0
    const agent = {
      ...pattern,
      id: newId('agent'),
      userId: `usr_${n % 7}`,
      config,
      watchdog: { ...pattern.watchdog, dueAt: isDue ? now : now + 60_000 },
    }
    if (isDue) due.add(agent.id)
    return agent
  })
  while (agents.length > 0)
    await dog.ctx.table.transact(agents.splice(0, 50).map((agent) => ({ put: toItem(agent) })))
})
afterAll(() => dog.close())

it('one tick finds all of a thousand agents that are due, page by page', async () => {
  const pages: Query[] = []
  const { table } = dog.ctx
  const counted = {
    ...table,
    query: (query: Query) => {
      pages.push(query)
      return table.query(query)
    },
  }
  expect(await tick({ ...dog.ctx, table: counted }, now)).toEqual({
    agents: count,
    woken: due.size,
  })
  expect(pages.length).toBeGreaterThan(agentShards)
  expect(new Set(pages.map(({ pk }) => pk)).size).toBe(agentShards)

  const messages = dog.taken('checks').map(({ message }) => WakeMessage.parse(message).agents)
  const woken = messages.flat().map(({ agentId }) => agentId)
  expect(woken.toSorted()).toEqual([...due].toSorted())
  // So few a message that a function probes them in time, and few messages for all of them.
  expect(Math.max(...messages.map((wakes) => wakes.length))).toBeLessThanOrEqual(25)
  expect(messages.length).toBeLessThanOrEqual(due.size / 25 + pages.length)
  expect(dog.taken()).toEqual([])
})

it('a shard holds no more than its share', () => {
  const sizes = Map.groupBy(due, shardOf)
  expect(sizes.size).toBe(agentShards)
  for (const ids of sizes.values()) expect(ids.length).toBeLessThan((3 * due.size) / agentShards)
})
