import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { putAgent } from '../../tests/support/chat.ts'
import { startTestTable, type TestTable } from '../../tests/support/table.ts'
import type { AgentStatus } from '../agents/agent.ts'
import { PlatformError } from '../platform/errors.ts'
import { newSeed } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { changeTask } from './change.ts'
import { createTask } from './create.ts'
import { deleteTask } from './delete.ts'
import { carryOutRun } from './runs/carry-out.ts'
import { type Run, runMessage, type RunRef, startSeconds, toRun } from './runs/run.ts'
import { requireTask, type ScheduledTask } from './task.ts'
import { tick } from './tick.ts'

let database: TestTable
const log = createLog()

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

class Killed extends Error {}

/** A table whose process dies at its nth request, before it is done or just after. */
function mortal(table: Table, requests: number, after: boolean): Table {
  let left = requests
  return new Proxy(table, {
    get:
      (target, name: keyof Table) =>
      async (...given: never[]) => {
        if (left-- > 0) return (target[name] as (...given: never[]) => unknown)(...given)
        if (after) await (target[name] as (...given: never[]) => unknown)(...given)
        throw new Killed('killed')
      },
  })
}

let users = 0

/** One user's task that is due every five minutes, on a clock of its own. */
async function scheduled(status: AgentStatus = 'running') {
  const { table } = database
  const userId = `usr_${++users}`
  await table.put({ pk: `user#${userId}`, sk: 'profile', id: userId })
  const desired = status === 'stopped' ? 'stopped' : 'running'
  const agent = await putAgent(table, userId, { status, desired })
  const input = {
    name: 'Check',
    cronSchedule: '*/5 * * * *',
    timezone: 'UTC',
    prompt: 'Well?',
    agentId: agent.id,
    description: null,
    enabled: true,
  }
  const task = await createTask(table, userId, input, newSeed())
  const store = userStore(table, userId)
  const clock = { now: Date.parse(String(task.nextRun)) - 60_000 }
  const sent: RunRef[] = []
  /** The runs whose prompt reached the agent. */
  const asked: string[] = []
  const queues = {
    send: () => Promise.reject(new Error('runs are sent by the batch')),
    sendAll: async (_: string, messages: readonly { body: unknown }[]) =>
      void sent.push(...messages.map(({ body }) => runMessage.parse(body))),
  }
  const world = {
    agent,
    clock,
    sent,
    asked,
    store,
    wait: (seconds: number) => void (clock.now += seconds * 1000),
    tick: (on = table) => tick({ table: only(on, userId), queues, log }, clock.now),
    consume: (run: RunRef, on = table, failure?: Error) =>
      carryOutRun(
        {
          table: on,
          log,
          ask: async ({ seed }) => {
            asked.push(seed)
            if (failure !== undefined) throw failure
          },
        },
        run,
        clock.now,
      ),
    deliver: async (failure?: Error) => {
      for (const run of sent.splice(0)) await world.consume(run, table, failure)
    },
    task: (): Promise<ScheduledTask> => requireTask(store, task.id),
    runs: async (): Promise<Run[]> => (await store.query({ beginsWith: 'run#' })).items.map(toRun),
  }
  return world
}

/** Shows a tick only what is one user's, so that tests share a table without meeting each other. */
function only(table: Table, userId: string): Table {
  return {
    ...table,
    query: async (query) => {
      const page = await table.query(query)
      return { ...page, items: page.items.filter((item) => item.userId === userId) }
    },
  }
}

describe('a task that is due', () => {
  it('runs once, and its end is noted', async () => {
    const world = await scheduled()
    expect(await world.tick()).toEqual({ sent: 0 })
    world.wait(60)
    const { nextRun: due } = await world.task()
    expect(await world.tick()).toEqual({ sent: 1 })
    expect(await world.task()).toMatchObject({ lastStatus: 'running', activeRun: due })
    await world.deliver()
    expect(world.asked).toHaveLength(1)
    const after = await world.task()
    expect(after).toMatchObject({ lastRun: due, lastStatus: 'ok' })
    expect(Date.parse(String(after.nextRun))).toBe(Date.parse(String(due)) + 300_000)
    expect(await world.tick()).toEqual({ sent: 0 })
  })

  it('is caught up once after hours in which nothing ran', async () => {
    const world = await scheduled()
    world.wait(5 * 3600)
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(await world.tick()).toEqual({ sent: 0 })
    expect(world.asked).toHaveLength(1)
    expect(Date.parse(String((await world.task()).nextRun))).toBeGreaterThan(world.clock.now)
  })

  it('is claimed by one of many ticks', async () => {
    const world = await scheduled()
    world.wait(60)
    const counts = await Promise.all(Array.from({ length: 8 }, () => world.tick()))
    expect(counts.reduce((sum, { sent }) => sum + sent, 0)).toBe(1)
  })

  it('is left out while the run before it is under way', async () => {
    const world = await scheduled()
    world.wait(60)
    await world.tick()
    world.wait(300)
    world.sent.length = 0
    // The first run's message is lost, so it is sent again; the second time is passed over.
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(await world.runs()).toHaveLength(1)
  })

  it('is not lost by a change made just then', async () => {
    const world = await scheduled()
    world.wait(3600)
    const { id, userId, nextRun: due } = await world.task()
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now })
    await changeTask(database.table, userId, id, { cronSchedule: '0 0 1 1 *' })
    vi.useRealTimers()
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(await world.task()).toMatchObject({
      lastRun: due,
      nextRun: expect.stringMatching(/-01-01T00:00:00\.000Z$/),
    })
  })

  it('goes on after a change by a machine whose clock is behind', async () => {
    const world = await scheduled()
    const { id, userId, nextRun: due } = await world.task()
    world.wait(60)
    await world.tick()
    await world.deliver()
    vi.useFakeTimers({ toFake: ['Date'], now: world.clock.now - 100 })
    await changeTask(database.table, userId, id, { cronSchedule: '0-59/5 * * * *' })
    vi.useRealTimers()
    expect(await world.task()).toMatchObject({ nextRun: due })
    expect(await world.tick()).toEqual({ sent: 0 })
    world.wait(300)
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    expect(new Set(world.asked).size).toBe(2)
  })
})

describe('a run', () => {
  it('whose message comes twice at once is begun once', async () => {
    const world = await scheduled()
    world.wait(60)
    await world.tick()
    const [run] = world.sent as [RunRef]
    await Promise.all(Array.from({ length: 4 }, () => world.consume(run)))
    expect(world.asked).toHaveLength(1)
  })

  it('notes why it failed', async () => {
    const world = await scheduled()
    world.wait(60)
    await world.tick()
    await world.deliver(new PlatformError('bad-gateway', 'The agent cannot be reached'))
    expect(await world.task()).toMatchObject({ lastStatus: 'failed: The agent cannot be reached' })
  })

  it('waits for an agent that is on its way, but not for ever', async () => {
    const world = await scheduled('provisioning')
    world.wait(60)
    await world.tick()
    await world.deliver()
    expect(world.asked).toEqual([])
    world.wait(120)
    expect(await world.tick()).toEqual({ sent: 1 })
    await world.deliver()
    world.wait(startSeconds)
    await world.tick()
    expect(world.asked).toEqual([])
    expect((await world.runs())[0]).toMatchObject({ state: 'failed' })
    expect((await world.task()).activeRun).not.toBe((await world.runs())[0]?.due)
  })

  it('of a task that was deleted meanwhile is over', async () => {
    const world = await scheduled()
    world.wait(60)
    await world.tick()
    const { id, userId } = await world.task()
    await deleteTask(database.table, userId, id)
    await world.deliver()
    expect(world.asked).toEqual([])
    expect(await world.runs()).toMatchObject([{ state: 'failed', reason: 'the task was deleted' }])
  })

  it('of an agent that was deleted takes the agent’s tasks with it', async () => {
    const world = await scheduled()
    world.wait(60)
    await world.tick()
    await world.store.delete(`agent#${world.agent.id}`)
    await world.deliver()
    await expect(world.task()).rejects.toThrow('Task not found')
  })

  it('whose job was killed in the middle is marked, and not begun again', async () => {
    const world = await scheduled()
    world.wait(60)
    await world.tick()
    await expect(world.consume(world.sent[0]!, mortal(database.table, 4, false))).rejects.toThrow(
      'killed',
    )
    expect(world.asked).toHaveLength(1)
    world.wait(240)
    await world.deliver()
    expect(world.asked).toHaveLength(1)
    world.wait(900)
    await world.tick()
    expect(await world.task()).toMatchObject({ lastStatus: expect.stringContaining('interrupted') })
  })
})

type Step =
  | { do: 'wait'; seconds: number }
  | { do: 'tick'; times: number }
  | { do: 'tick, killed'; requests: number; after: boolean }
  | { do: 'lose' }
  | { do: 'repeat' }
  | { do: 'deliver' }
  | { do: 'deliver, killed'; requests: number; after: boolean }

const death = { requests: fc.nat(7), after: fc.boolean() }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ do: fc.constant('tick' as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('tick, killed' as const), ...death }),
  fc.record({ do: fc.constantFrom('lose' as const, 'repeat' as const, 'deliver' as const) }),
  fc.record({ do: fc.constant('deliver, killed' as const), ...death }),
)

it('asks for no run twice and ends every one, whoever is killed and whatever is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = await scheduled()
      const survive = (work: Promise<unknown>) =>
        work.catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error
        })
      for (const one of steps) {
        if (one.do === 'wait') world.wait(one.seconds)
        else if (one.do === 'tick')
          await Promise.all(Array.from({ length: one.times }, () => world.tick()))
        else if (one.do === 'lose') world.sent.length = 0
        else if (one.do === 'repeat') world.sent.push(...world.sent)
        else if (one.do === 'deliver') await world.deliver()
        else {
          const dying = mortal(database.table, one.requests, one.after)
          const run = world.sent.shift()
          if (one.do === 'tick, killed') await survive(world.tick(dying))
          else if (run !== undefined) await survive(world.consume(run, dying))
        }
      }
      // Whatever happened: once things work again, everything comes to an end.
      world.wait(2 * 3600)
      for (let i = 0; i < 3; i++) {
        await world.tick()
        await world.deliver()
        world.wait(1000)
      }
      const runs = await world.runs()
      expect(runs.length).toBeGreaterThan(0)
      expect(runs.filter(({ state }) => state !== 'ok' && state !== 'failed')).toEqual([])
      expect(new Set(world.asked).size).toBe(world.asked.length)
      const served = runs.filter(({ state }) => state === 'ok').map(({ seed }) => seed)
      expect(served.filter((seed) => !world.asked.includes(seed))).toEqual([])
      expect((await world.task()).activeRun).toBeUndefined()
    }),
    { numRuns: 60 },
  )
})
