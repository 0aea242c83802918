import { describe, expect, it } from 'vitest'
import { turnRows } from '#shared/ai/turns/rows.ts'
import { aliveMs, beginWrite, nameOf } from '#shared/ai/turns/turn.ts'
import { newId } from '#shared/platform/ids.ts'
import { useScheduled } from '#tests/support/conversations/scheduled.ts'
import type { RunRef } from './topic.ts'

const on = useScheduled()

const everyMinute = { cronSchedule: '* * * * *', timezone: 'UTC' }

/** Creates a run whose agent received the request five seconds ago, in the first second of its minute. */
async function underWay() {
  const world = await on.scheduled('running', everyMinute)
  world.clock.now = Date.parse(String((await world.task()).nextRun))
  await world.tick()
  const requested = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  world.answer = () => {
    requested.resolve()
    return answered.promise
  }
  const job = world.consume(world.sent.shift() as RunRef)
  await requested.promise
  world.answer = async () => {}
  const [run] = await world.runs()
  const id = newId('msg', run!.seed)
  const { id: agentId } = world.agent
  const turn = { id, agentId, generation: world.agent.generation, kind: 'task', by: null } as const
  const live = () =>
    world.store.update(turnRows.sk({ name: nameOf(id) }), {
      set: { aliveUntil: world.clock.now + aliveMs },
    })
  await on.table.transact([beginWrite(world.store, turn, world.clock.now)])
  world.wait(5)
  return { world, live, end: () => (answered.resolve(), job) }
}

type World = Awaited<ReturnType<typeof underWay>>['world']

const changeAgent = ({ store, agent }: World, set: Record<string, unknown>) =>
  store.update(`agent#${agent.id}`, { set })

describe('a run in progress', () => {
  it.each([
    ['whose process was killed', async () => {}, 'it was interrupted', false],
    [
      'whose agent crashed',
      (world: World) => changeAgent(world, { taskStatus: 'STOPPED' }),
      'the agent ended during the run',
      true,
    ],
    [
      'whose agent was restarted',
      (world: World) => changeAgent(world, { generation: world.agent.generation + 1 }),
      'the agent ended during the run',
      true,
    ],
    [
      'whose agent was deleted',
      (world: World) => world.store.delete(`agent#${world.agent.id}`),
      'the agent was deleted',
      true,
    ],
  ])(
    '%s ends at the next tick, and the run of that minute follows',
    async (_, cut, reason, lives) => {
      const { world, live, end } = await underWay()
      await cut(world)
      world.wait(55)
      if (lives) await live()
      expect(await world.tick()).toEqual({ sent: 1 })
      const [run] = await world.runs()
      expect(run).toMatchObject({ state: 'failed', reason })
      expect((await world.task()).activeRun).not.toBe(run!.due)
      // Its process may continue, but changes nothing.
      await end()
      expect((await world.runs())[0]).toMatchObject({ state: 'failed', reason })
      expect((await world.store.get('runs-under-way'))?.count ?? 0).toBe(0)
      expect(world.asked.filter((seed) => seed === run!.seed)).toHaveLength(1)
    },
  )

  it('continues for any duration, even while its container shuts down', async () => {
    const { world, live, end } = await underWay()
    for (let minute = 0; minute < 4; minute++) {
      world.wait(60)
      await live()
      expect(await world.tick()).toEqual({ sent: 0 })
      const previous = { generation: world.agent.generation + 1, previousTaskArn: 'arn' }
      await changeAgent(world, minute === 0 ? { status: 'stopped' } : previous)
    }
    await end()
    expect((await world.runs())[0]).toMatchObject({ state: 'ok' })
  })
})

/**
 * Creates a task that was due every minute while its agent was not running, and returns the time when the agent runs
 * again.
 */
async function absence(minutes: number) {
  const world = await on.scheduled('running', everyMinute)
  const first = Date.parse(String((await world.task()).nextRun))
  world.clock.now = first
  await changeAgent(world, { status: 'provisioning' })
  for (let minute = 0; minute < minutes; minute++) {
    await world.tick()
    await world.deliver()
    world.wait(60)
  }
  expect(world.asked).toEqual([])
  await changeAgent(world, { status: 'running' })
  return { world, first }
}

describe('after an agent’s absence', () => {
  it.each([3, 7, 40])('each of %i minutes runs once, in order', async (away) => {
    const { world, first } = await absence(away)
    world.answer = async () => world.wait(1)
    for (let minute = 0; minute < 3; minute++) {
      world.clock.now = first + (away + minute) * 60_000
      await world.tick()
      await world.deliver()
    }
    const bySeed = new Map((await world.runs()).map(({ seed, due }) => [seed, due]))
    const at = (_: unknown, n: number) => new Date(first + n * 60_000).toISOString()
    const requests = world.asked.map((seed) => bySeed.get(seed))
    expect(requests).toEqual(Array.from({ length: away + 3 }, at))
  })

  it('a task that takes longer than its interval does not stay late', async () => {
    const { world } = await absence(10)
    world.answer = async () => {
      world.wait(90)
      await world.tick()
    }
    for (let n = 0; n < 6; n++) {
      await world.tick()
      const run = world.sent.shift()
      if (run !== undefined) await world.consume(run)
      world.wait(30)
    }
    const runs = (await world.runs()).filter(({ state }) => state === 'ok')
    const late = runs.map(({ due, startedAt = '' }) => Date.parse(startedAt) - Date.parse(due))
    expect(late[0]).toBeGreaterThan(540_000)
    expect(late.at(-1)).toBeLessThan(300_000)
  })
})
