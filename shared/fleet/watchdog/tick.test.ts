import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog } from '../../platform/log.ts'
import type { Query } from '../../platform/table/port.ts'
import { newId } from '../../platform/ids.ts'
import { shardOf } from '../../platform/table/shard.ts'
import { type Agent, agentKey, agentShards, toItem } from '../../agents/agent.ts'
import { startWatchdog, type TestWatchdog } from '../../../tests/support/watchdog.ts'
import { checks } from './topic.ts'
import { isDue } from './due.ts'
import { anyAgent, epoch } from './testing/agents.ts'
import { tick } from './tick.ts'

const now = epoch
const log = createLog()
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
      id: newId('agt'),
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
  expect(await tick({ ...dog.ctx, table: counted, log }, now)).toEqual({
    agents: count,
    due: due.size,
    malformed: 0,
  })
  expect(pages.length).toBeGreaterThan(agentShards)
  expect(new Set(pages.map(({ pk }) => pk)).size).toBe(agentShards)

  const messages = dog.taken('checks').map(({ message }) => checks.schema().parse(message).agents)
  const asked = messages.flat().map(({ agentId }) => agentId)
  expect(asked.toSorted()).toEqual([...due].toSorted())
  // So few a message that a function probes them in time, and few messages for all of them.
  expect(Math.max(...messages.map((checks) => checks.length))).toBeLessThanOrEqual(25)
  expect(messages.length).toBeLessThanOrEqual(due.size / 25 + pages.length)
  expect(dog.taken()).toEqual([])
})

it('a shard holds no more than its share', () => {
  const sizes = Map.groupBy(due, (id) => shardOf(id, agentShards))
  expect(sizes.size).toBe(agentShards)
  for (const ids of sizes.values()) expect(ids.length).toBeLessThan((3 * due.size) / agentShards)
})

describe('a round', () => {
  /** A table of its own with these agents. */
  async function roundOver(agents: Agent[], spoil?: (dog: TestWatchdog) => Promise<unknown>) {
    const own = await startWatchdog()
    try {
      const { table } = own.ctx
      for (const agent of agents) await table.put(toItem(agent))
      await spoil?.(own)
      const round = await tick({ ...own.ctx, log }, now)
      const asked = own
        .taken('checks')
        .flatMap(({ message }) => checks.schema().parse(message).agents)
        .map(({ agentId }) => agentId)
      return { round, asked }
    } finally {
      await own.close()
    }
  }

  it('finds by what it reads of a row just what the whole row tells', async () => {
    const agents = fc
      .sample(anyAgent, { numRuns: 300, seed: 7 })
      .map((agent): Agent => Object.assign(agent, { id: newId('agt') }))
    const { asked } = await roundOver(agents)
    const wanted = agents.filter((agent) => isDue(agent, now)).map(({ id }) => id)
    expect(wanted.length).toBeGreaterThan(50)
    expect(wanted.length).toBeLessThan(agents.length)
    expect(asked.toSorted()).toEqual(wanted.toSorted())
  })

  it('goes on where a row cannot be read', async () => {
    const pattern = { ...(await dog.runningAgent(now)), userId: 'usr_2' }
    const agents = Array.from({ length: 20 }, () => ({ ...pattern, id: newId('agt') }))
    const [broken, half, ...well] = agents
    const { round, asked } = await roundOver(agents, async ({ ctx: { table } }) => {
      const key = (agent: Agent | undefined) =>
        agentKey({ userId: 'usr_2', agentId: agent?.id ?? '' })
      await table.update(key(broken), { remove: ['watchdog'] })
      await table.update(key(half), { set: { watchdog: { state: 'running', dueAt: 'soon' } } })
    })
    expect(round).toEqual({ agents: 20, due: 18, malformed: 2 })
    expect(asked.toSorted()).toEqual(well.map(({ id }) => id).toSorted())
  })
})
