import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Agent, agentKey, locatorKey } from '#shared/agents/record/agent.ts'
import { watchKey } from '#shared/agents/record/watch/write.ts'
import { startWatchdog, type TestWatchdog } from '#tests/support/agents/watchdog.ts'
import { checkAgent } from './check.ts'
import { checks } from './topic.ts'

/** The effects of a process that dies between storing a change and sending its messages. */

const start = Date.UTC(2026, 0, 1)
const after = (seconds: number) => start + seconds * 1000
let dog: TestWatchdog
const made: Agent[] = []

beforeAll(async () => {
  dog = await startWatchdog()
})
afterAll(() => dog.close())
afterEach(async () => {
  dog.mailbox.broken = false
  dog.health.status = 200
  dog.taken()
  for (const { id: agentId, userId } of made.splice(0)) {
    await dog.ctx.table.delete(agentKey({ userId, agentId }))
    await dog.ctx.table.delete(watchKey({ userId, agentId }))
    await dog.ctx.table.delete(locatorKey(agentId))
  }
})

async function agentWith(fields: Partial<Agent>, dueIn = 3600): Promise<Agent> {
  const agent = await dog.runningAgent(start, dueIn, fields)
  made.push(agent)
  return agent
}

/**
 * Runs one tick and its checks.
 * @returns the number of checked agents
 */
async function tickAt(seconds: number): Promise<number> {
  const { due } = await dog.round(after(seconds))
  for (const { message } of dog.taken('checks'))
    for (const check of checks.schema().parse(message).agents)
      await checkAgent(dog.ctx, check, after(seconds))
  return due
}

async function checkAndDie(agent: Agent, seconds: number): Promise<void> {
  dog.mailbox.broken = true
  await expect(dog.check(agent, after(seconds))).rejects.toThrow('cannot be reached')
  dog.mailbox.broken = false
}

it('a check from before a restart sends no start, which the tick sends', async () => {
  const { watchdog } = await agentWith({})
  const agent = await agentWith({
    status: 'provisioning',
    taskArn: undefined,
    taskStatus: undefined,
    watchdog: { ...watchdog, state: 'starting', dueAt: null },
  })
  const { id: agentId, userId } = agent
  const look = { userId, agentId, dueAt: null, look: after(40) }
  await checkAgent(dog.ctx, look, after(40))
  expect(dog.taken('provisioning')).toEqual([])
  await tickAt(60)
  expect(dog.taken('provisioning')).toMatchObject([{ message: { kind: 'start', agentId } }])
})

it('a check that finds a silent container with a recorded end sends one start and waits for it', async () => {
  const at = new Date(start).toISOString()
  const stopReason = { code: 'TerminationNotice', exitCode: null, text: 'Host is going away', at }
  const agent = await agentWith({ taskStatus: 'STOPPED', stopReason }, 0)
  dog.health.status = 0
  const found = await dog.check(agent, start)
  expect(found).toMatchObject({ generation: 2, watchdog: { state: 'starting', dueAt: null } })
  expect(dog.taken('provisioning')).toMatchObject([{ message: { kind: 'start' } }])
  expect(dog.taken('checks')).toEqual([])
})

describe('the next tick', () => {
  it('resumes a step whose message was lost', async () => {
    const agent = await agentWith({}, 0)
    dog.health.status = 503
    await checkAndDie(agent, 0)
    expect((await dog.read(agent)).watchdog).toMatchObject({ state: 'degraded', dueAt: after(5) })
    // Only the notice is due now; the step is due later.
    expect(await tickAt(1)).toBe(1)
    dog.taken()
    // Until then its message may still be in flight.
    expect(await tickAt(14)).toBe(0)
    expect((await dog.read(agent)).watchdog).toMatchObject({ failures: 1 })
    expect(await tickAt(16)).toBe(1)
    expect((await dog.read(agent)).watchdog).toMatchObject({ failures: 2, dueAt: after(21) })
  })

  it('sends a stored and unsent notice, once', async () => {
    const agent = await agentWith({}, 0)
    dog.health.status = 503
    await checkAndDie(agent, 0)
    expect((await dog.read(agent)).watchdog.unsent).toMatchObject([{ kind: 'degraded' }])
    expect(await tickAt(1)).toBe(1)
    expect(dog.taken('notices')).toMatchObject([{ message: { notice: { kind: 'degraded' } } }])
    expect((await dog.read(agent)).watchdog.unsent).toEqual([])
    expect(await tickAt(2)).toBe(0)
    expect(dog.taken('notices')).toEqual([])
  })

  it('starts the task of a repair although the message was lost', async () => {
    const agent = await agentWith({}, 0)
    dog.health.status = 503
    for (const seconds of [0, 5, 10]) await dog.check(agent, after(seconds))
    dog.taken()
    await checkAndDie(agent, 15)
    expect(await dog.read(agent)).toMatchObject({ generation: 2, status: 'provisioning' })
    expect(dog.taken()).toEqual([])
    await tickAt(60)
    const starts = dog.taken('provisioning').filter(({ message }) => message.kind === 'start')
    expect(starts).toHaveLength(1)
    const { generation } = await dog.read(agent)
    expect(starts).toMatchObject([{ message: { agentId: agent.id, generation } }])
  })

  it('enqueues the start of an agent that was only stored', async () => {
    const fresh = await dog.runningAgent(start)
    made.push(fresh)
    const agent = await agentWith({
      status: 'provisioning',
      taskArn: undefined,
      taskStatus: undefined,
      address: undefined,
      watchdog: { ...fresh.watchdog, state: 'starting', dueAt: null, generation: null },
    })
    expect(await tickAt(29)).toBe(0)
    expect(dog.taken('provisioning')).toEqual([])
    expect(await tickAt(31)).toBe(1)
    expect(dog.taken('provisioning')).toMatchObject([
      { message: { kind: 'start', agentId: agent.id, generation: 1 } },
    ])
  })

  it.each([
    ['stop', { desired: 'stopped', status: 'stopped' }],
    ['delete', { desired: 'stopped', status: 'stopped', deleting: true }],
  ] as const)('enqueues a lost %s again', async (kind, fields) => {
    const agent = await agentWith(fields)
    await tickAt(31)
    expect(dog.taken('provisioning')).toMatchObject([{ message: { kind, agentId: agent.id } }])
  })

  it('changes nothing if all is well', async () => {
    const agent = await agentWith({})
    expect(await tickAt(600)).toBe(0)
    const { table } = dog.ctx
    dog.ctx.table = { ...table, update: () => Promise.reject(new Error('nothing is amiss')) }
    await dog.check(agent, after(600), null)
    dog.ctx.table = table
    expect(dog.taken()).toEqual([])
  })
})

it('a redelivered message of a killed process does the rest', async () => {
  const agent = await agentWith({}, 0)
  dog.health.status = 503
  const { dueAt } = agent.watchdog
  await checkAndDie(agent, 0)
  await dog.check(agent, after(2), dueAt)
  expect(dog.taken('notices')).toHaveLength(1)
  expect((await dog.read(agent)).watchdog).toMatchObject({ failures: 1, unsent: [] })
})
