import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { settings, startWatchdog, type TestWatchdog } from '#tests/support/agents/watchdog.ts'
import { trusted } from '#tests/support/platform/context.ts'
import { restartAgent } from '../lifecycle/restart.ts'
import { startAgent } from '../lifecycle/start.ts'
import { observeTask } from './observe-task.ts'

const start = Date.UTC(2026, 0, 1)
let dog: TestWatchdog
let services: AgentContext & Reads<AgentSetting>

beforeAll(async () => {
  dog = await startWatchdog()
  services = trusted({ ...dog.ctx, config: { ...loadConfig({}), ...settings } })
})
afterAll(() => dog.close())
beforeEach(() => {
  dog.health.status = 200
  dog.taken()
})

function taskEvent(agent: Agent, version: number, lastStatus: string, exitCode?: number) {
  return {
    id: `event-${version}`,
    'detail-type': 'ECS Task State Change' as const,
    detail: {
      taskArn: agent.taskArn,
      startedBy: agent.id,
      lastStatus,
      version,
      ...(exitCode !== undefined && {
        stopCode: 'EssentialContainerExited',
        stoppedAt: new Date(start).toISOString(),
        containers: [{ exitCode }],
      }),
    },
  }
}

/** Creates an agent whose checks and repairs have all failed. */
async function givenUp(): Promise<Agent> {
  const agent = await dog.runningAgent(start)
  dog.health.status = 503
  await dog.failAll(agent, start)
  dog.health.status = 200
  dog.taken()
  const after = await dog.read(agent)
  expect(after.watchdog.state).toBe('crash_loop')
  return after
}

describe('an agent in a crash loop', () => {
  it('stays there for all events of its task', async () => {
    const agent = await givenUp()
    await dog.startTask(agent)
    const task = await dog.read(agent)
    const hours = start + 7_200_000
    for (const dueAt of [null, start, hours]) await dog.check(agent, hours, dueAt)
    await observeTask(dog.ctx, taskEvent(task, 50, 'RUNNING'), hours)
    await dog.round(hours)
    await dog.check(agent, hours, null)
    await observeTask(dog.ctx, taskEvent(task, 51, 'STOPPED', 0), hours)
    await dog.round(hours)
    const after = await dog.read(agent)
    expect(after).toMatchObject({ status: 'error', desired: 'stopped' })
    expect(after.watchdog).toMatchObject({ state: 'crash_loop', dueAt: null })
    expect(after.generation).toBe(agent.generation)
    // Running tasks are asked to stop; nothing is started.
    const requests = dog.taken('provisioning').map(({ message }) => message.kind)
    expect(new Set(requests)).toEqual(new Set(['stop']))
  })

  it.each(['start', 'restart', 'repair'] as const)('leaves it by a person’s %s', async (verb) => {
    const agent = await givenUp()
    if (verb === 'start') await startAgent(services, { agent, by: 'operator' })
    else await restartAgent(services, { agent, reason: verb, by: 'operator' })
    const after = await dog.read(agent)
    expect(after).toMatchObject({ status: 'provisioning', generation: agent.generation + 1 })
    expect(after.watchdog).toMatchObject({ state: 'starting', crashes: [], attempts: 0 })
    expect(after.watchdog.incidents.at(-1)?.resolvedAt).not.toBeNull()
  })
})

describe('a crash', () => {
  it('is stored together with the watchdog’s decision', async () => {
    const agent = await dog.runningAgent(start, 120)
    dog.mailbox.broken = true
    const crash = taskEvent(agent, 4, 'STOPPED', 7)
    await expect(observeTask(dog.ctx, crash, start)).rejects.toThrow('cannot be reached')
    dog.mailbox.broken = false
    const stored = await dog.read(agent)
    expect(stored).toMatchObject({ status: 'error', taskStatus: 'STOPPED' })
    expect(stored.watchdog).toMatchObject({ state: 'repairing', dueAt: start + 5000 })
    expect(stored.watchdog.incidents).toMatchObject([{ cause: 'it exited with code 7' }])
    // The repeated event is not counted, but unsent messages are sent.
    await observeTask(dog.ctx, crash, start + 1000)
    expect(await dog.read(agent)).toMatchObject({
      watchdog: { state: 'repairing', crashes: [start] },
    })
    const anew = await dog.check(agent, start + 5000)
    expect(anew).toMatchObject({ generation: 2, status: 'provisioning' })
  })

  it('counts toward a crash loop within the window', async () => {
    let agent = await dog.runningAgent(start, 120)
    for (const [n, at] of [start, start + 60_000, start + 120_000].entries()) {
      await observeTask(dog.ctx, taskEvent(agent, 10 + n, 'STOPPED', 1), at)
      if (n < 2) {
        await dog.check(agent, at + 5000)
        await dog.startTask(agent)
        await dog.check(agent, at + 35_000)
        agent = await dog.read(agent)
        expect(agent.watchdog.state).toBe('running')
      }
    }
    expect((await dog.read(agent)).watchdog.state).toBe('crash_loop')
  })

  it('is not counted if the host was lost: the agent restarts immediately', async () => {
    const agent = await dog.runningAgent(start, 120)
    const event = taskEvent(agent, 4, 'STOPPED', 143)
    await observeTask(
      dog.ctx,
      { ...event, detail: { ...event.detail, stopCode: 'SpotInterruption' } },
      start,
    )
    const after = await dog.read(agent)
    expect(after).toMatchObject({ status: 'provisioning', generation: 2 })
    expect(after.watchdog).toMatchObject({ state: 'starting', crashes: [], incidents: [] })
    expect(dog.taken('provisioning')).toMatchObject([{ message: { kind: 'start', generation: 2 } }])
  })
})
