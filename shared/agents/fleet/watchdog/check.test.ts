import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { AgentContext } from '#shared/agents/record/context.ts'
import type { Containers } from '#shared/platform/containers/port.ts'
import { ecsTask } from '#shared/platform/containers/task.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startWatchdog, type TestWatchdog } from '#tests/support/agents/watchdog.ts'
import { observeTasks } from '../task-states/observe.ts'
import { taskStates } from '../task-states/topic.ts'
import { checkAgent } from './check.ts'

const start = Date.UTC(2026, 0, 1)
let dog: TestWatchdog

beforeAll(async () => {
  dog = await startWatchdog()
})
afterAll(() => dog.close())
beforeEach(() => {
  dog.health.status = 200
  dog.taken()
})

const kinds = () => dog.taken('notices').map(({ message }) => noticeOf(message).kind)
const noticeOf = (message: Record<string, unknown>) => message.notice as { kind: string }

/** A container of an image that does not send the agent's id. */
async function namelessGateway() {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

describe('a health check', () => {
  it('a health check of a healthy agent reads the recent row once, and writes nothing', async () => {
    const agent = await dog.runningAgent(start)
    const { table } = dog.ctx
    const requests: unknown[] = []
    const unwanted = () => Promise.reject(new Error('nothing is to be written'))
    const get: Table['get'] = (key, options) => {
      requests.push(options)
      return table.get(key, options)
    }
    const own = { get, put: unwanted, update: unwanted, delete: unwanted, transact: unwanted }
    const ctx = { ...dog.ctx, table: { ...table, ...own } }
    const { id: agentId, userId } = agent
    dog.health.asked = 0
    // The tick sends the check once per interval, and the queue can deliver it twice.
    for (const look of [start + 60_000, start + 60_000, start + 180_000])
      await checkAgent(ctx, { userId, agentId, dueAt: null, look }, look + 1000)
    expect(requests).toEqual([{ consistent: false }, { consistent: false }, { consistent: false }])
    expect(dog.health.asked).toBe(3)
    expect(await dog.read(agent)).toEqual(agent)
    expect(dog.taken()).toEqual([])
  })

  it('a health check of an agent that has just started is due after half an interval', async () => {
    const agent = await dog.runningAgent(start)
    const { id: agentId, userId } = agent
    const look = (at: number) => dog.deliver({ userId, agentId, dueAt: null, look: at }, at)
    dog.health.asked = 0
    await look(start + 59_000)
    expect(dog.health.asked).toBe(0)
    await look(start + 60_000)
    expect(dog.health.asked).toBe(1)
  })

  it('is skipped if it is so late that the next check is due', async () => {
    const agent = await dog.runningAgent(start)
    const { id: agentId, userId } = agent
    dog.health.asked = 0
    await dog.deliver({ userId, agentId, dueAt: null, look: start }, start + 120_000)
    expect(dog.health.asked).toBe(0)
    await dog.deliver({ userId, agentId, dueAt: null, look: start }, start + 119_000)
    expect(dog.health.asked).toBe(1)
  })

  it('a health check of an agent that soon sleeps is repeated at that time', async () => {
    const config = { sleepAfterMinutes: 5 }
    const startedAt = new Date(start).toISOString()
    const agent = await dog.runningAgent(start, 0, { config, startedAt })
    const { id: agentId, userId } = agent
    const look = (at: number) => dog.deliver({ userId, agentId, dueAt: null, look: at }, at)
    await look(start + 120_000)
    expect(dog.taken()).toEqual([])
    await look(start + 240_000)
    const [again, ...more] = dog.taken()
    expect(more).toEqual([])
    expect(again).toMatchObject({ queue: 'checks', delaySeconds: 60 })
    await dog.check(agent, start + 300_000, null)
    expect(await dog.read(agent)).toMatchObject({ asleep: true, status: 'stopped' })
    dog.taken()
  })

  it('a health check that finds a starting agent is followed by the next check one interval later', async () => {
    const fresh = await dog.runningAgent(start)
    const watchdog = { ...fresh.watchdog, state: 'starting' as const }
    const agent = await dog.runningAgent(start, 0, { status: 'provisioning', watchdog })
    const after = await dog.check(agent, start)
    expect(after.status).toBe('running')
    expect(after.watchdog).toMatchObject({ state: 'running', dueAt: start + 120_000 })
  })

  it('a health check that fails degrades the agent, and is repeated soon', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 503
    const after = await dog.check(agent, start)
    expect(after.status).toBe('running')
    expect(after.watchdog).toMatchObject({ state: 'degraded', dueAt: start + 5000 })
    expect(after.watchdog.incidents).toMatchObject([
      { cause: 'its health check answered 503', step: 'detected', resolvedAt: null },
    ])
    expect(dog.taken('checks')).toMatchObject([{ delaySeconds: 5 }])
    expect(kinds()).toEqual(['degraded'])
    dog.health.status = 200
    const well = await dog.check(agent, start + 5000)
    expect(well.watchdog).toMatchObject({
      state: 'running',
      failures: 0,
      incidents: [{ resolvedAt: new Date(start + 5000).toISOString() }],
    })
  })

  it('a health check that cannot reach the agent reports it', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 0
    const { watchdog } = await dog.check(agent, start)
    expect(watchdog.incidents).toMatchObject([{ cause: 'its gateway cannot be reached' }])
  })

  it('goes through the whole repair: stop, wait, start, wait, check', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 503
    for (const seconds of [0, 5, 10]) await dog.check(agent, start + seconds * 1000)
    expect((await dog.read(agent)).watchdog).toMatchObject({ state: 'repairing', attempts: 1 })
    expect(dog.taken('provisioning')).toMatchObject([
      { message: { kind: 'stop', agentId: agent.id, taskArn: agent.taskArn } },
    ])
    expect(dog.taken('checks').at(-1)).toMatchObject({ delaySeconds: 5 })

    const anew = await dog.check(agent, start + 15_000)
    expect(anew).toMatchObject({ status: 'provisioning', generation: 2, desired: 'running' })
    // The old task may still be running, and the next one must wait for its end.
    expect(anew.previousTaskArn).toBe(agent.taskArn)
    expect(dog.taken('provisioning')).toMatchObject([{ message: { kind: 'start', generation: 2 } }])
    expect(dog.taken('checks')).toMatchObject([{ delaySeconds: 30 }])

    await dog.startTask(agent)
    dog.health.status = 200
    const well = await dog.check(agent, start + 45_000)
    expect(well.status).toBe('running')
    expect(well.watchdog).toMatchObject({ state: 'running', attempts: 0, unsent: [] })
    expect(kinds()).toEqual(['degraded', 'repair_started', 'repaired'])
  })

  it('gives a late container its full time to start', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 503
    for (const seconds of [0, 5, 10, 15]) await dog.check(agent, start + seconds * 1000)
    await dog.startTask(agent, start + 40_000)
    const waiting = await dog.check(agent, start + 45_000)
    expect(waiting.watchdog).toMatchObject({
      state: 'repairing',
      repair: 'starting',
      attempts: 1,
      dueAt: start + 50_000,
    })
    await dog.check(agent, start + 70_000)
    const late = await dog.check(agent, start + 75_000)
    expect(late.watchdog).toMatchObject({ repair: 'stopping', attempts: 2 })
    dog.taken()
  })

  it('asks for the task of a silent repair, which fails only once the task exists', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 503
    for (const seconds of [0, 5, 10, 15]) await dog.check(agent, start + seconds * 1000)
    await dog.startTask(agent)
    const look = { userId: agent.userId, agentId: agent.id, dueAt: start + 45_000 }
    dog.taken()
    await checkAgent(dog.ctx, look, start + 45_000)
    const [request] = dog.taken('task-states')
    const taskArn = (await dog.read(agent)).taskArn
    expect(request?.message).toMatchObject({ tasks: [{ taskArn, askedAt: start + 45_000 }] })
    // Its host is gone, and no event has reported it.
    const event = {
      taskArn,
      startedBy: agent.id,
      lastStatus: 'STOPPED',
      version: 50,
      stopCode: 'SpotInterruption',
    }
    const described = { describe: async () => ecsTask.parse(event) }
    await observeTasks(
      { ...dog.ctx, containers: described } as unknown as Pick<Context, 'log'> &
        AgentContext & { containers: Pick<Containers, 'describe'> },
      taskStates.schema().parse(request?.message),
    )
    const after = await dog.check(agent, start + 50_000)
    expect(after.watchdog).toMatchObject({ state: 'starting' })
    expect(after).toMatchObject({ status: 'provisioning', generation: 3 })
    dog.taken()
  })

  it('asks for the task if the response does not name one, and finds that it has ended', async () => {
    const address = await namelessGateway()
    const agent = await dog.runningAgent(start, 0, { address })
    await checkAgent(dog.ctx, { userId: agent.userId, agentId: agent.id, dueAt: start }, start)
    // The response may come from the agent itself.
    expect(await dog.read(agent)).toMatchObject({
      status: 'running',
      watchdog: { state: 'running' },
    })
    const [request, ...rest] = dog.taken()
    expect(rest).toEqual([])
    expect(request?.message).toMatchObject({ tasks: [{ taskArn: agent.taskArn }] })
    const event = {
      taskArn: agent.taskArn,
      startedBy: agent.id,
      lastStatus: 'STOPPED',
      version: 50,
      stopCode: 'TerminationNotice',
    }
    const described = { describe: async () => ecsTask.parse(event) }
    await observeTasks(
      { ...dog.ctx, containers: described } as unknown as Pick<Context, 'log'> &
        AgentContext & { containers: Pick<Containers, 'describe'> },
      taskStates.schema().parse(request?.message),
    )
    const after = await dog.check(agent, start + 1000)
    expect(after).toMatchObject({ status: 'provisioning', generation: 2 })
    dog.taken()
  })

  it('gives up after the last attempt', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 503
    await dog.failAll(agent, start)
    const after = await dog.read(agent)
    expect(after).toMatchObject({ status: 'error', desired: 'stopped' })
    expect(after.watchdog).toMatchObject({ state: 'crash_loop', dueAt: null })
    expect(kinds()).toEqual(['degraded', 'repair_started', 'repair_failed', 'crash_loop'])
  })
})

describe('a check', () => {
  it('a check that is repeated, even concurrently, takes its step once', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 503
    const check = { userId: agent.userId, agentId: agent.id, dueAt: start }
    await Promise.all(Array.from({ length: 10 }, () => checkAgent(dog.ctx, check, start)))
    const after = await dog.read(agent)
    expect(after.watchdog).toMatchObject({ state: 'degraded', failures: 1, unsent: [] })
    expect(dog.taken('checks')).toHaveLength(1)
    // Two processes can send the same notice. Its id identifies the duplicate.
    expect(new Set(dog.taken('notices').map(({ message }) => message.id)).size).toBe(1)
    await checkAgent(dog.ctx, check, start)
    expect(await dog.read(agent)).toEqual(after)
    expect(dog.taken()).toEqual([])
  })

  it('a check that is late, after the next step, changes nothing', async () => {
    const agent = await dog.runningAgent(start)
    dog.health.status = 503
    const after = await dog.check(agent, start)
    dog.taken()
    dog.health.asked = 0
    await dog.check(agent, start + 60_000, start)
    expect(await dog.read(agent)).toEqual(after)
    expect([dog.health.asked, dog.taken()]).toEqual([0, []])
  })

  it('a check that is early waits for the rest of its time', async () => {
    const agent = await dog.runningAgent(start, 20)
    dog.health.status = 503
    expect(await dog.check(agent, start)).toEqual(agent)
    const [again, ...more] = dog.taken()
    expect(again).toMatchObject({
      queue: 'checks',
      delaySeconds: 20,
      message: { agents: [{ agentId: agent.id, dueAt: start + 20_000 }] },
    })
    expect(more).toEqual([])
  })

  it('a check of a deleted agent has no effect', async () => {
    const check = { userId: 'usr_1', agentId: `agt_${'0'.repeat(26)}`, dueAt: start }
    await checkAgent(dog.ctx, check, start)
    expect(dog.taken()).toEqual([])
  })
})
