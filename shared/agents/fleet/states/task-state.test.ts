import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Agent, agentStatuses } from '#shared/agents/record/agent.ts'
import { type AgentMove, nextStatus } from '#shared/agents/record/status.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import type { Task } from '#shared/platform/containers/port.ts'
import { asFailed, stopped } from './end.ts'
import { nextGeneration } from './generation.ts'
import { applyTaskState } from './task-state.ts'

const fresh: Agent = {
  id: 'agt_1',
  userId: 'usr_1',
  name: 'Ada',
  subdomain: 'ada-1',
  model: 'custom',
  plan: 'label',
  aiProvider: 'router',
  config: {},
  image: 'agent:1',
  status: 'pending',
  desired: 'stopped',
  generation: 0,
  revision: 1,
  tokenVersion: 1,
  watchdog: newWatchdog(0),
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

/** The states of a task in order; the index is its version. */
const life: Pick<Task, 'status' | 'health'>[] = [
  { status: 'PROVISIONING', health: 'UNKNOWN' },
  { status: 'PENDING', health: 'UNKNOWN' },
  { status: 'RUNNING', health: 'UNKNOWN' },
  { status: 'RUNNING', health: 'HEALTHY' },
  { status: 'STOPPING', health: 'HEALTHY' },
  { status: 'STOPPED', health: 'UNKNOWN' },
]

function taskOf(generation: number, version: number, code = 'EssentialContainerExited'): Task {
  const { status, health } = life[version - 1] as (typeof life)[number]
  const stop = { code, exitCode: 1, text: 'it ended', at: '2026-01-01T00:00:01.000Z' }
  return {
    arn: `task/${generation}`,
    startedBy: 'agt_1',
    generation,
    status,
    health,
    version,
    address: status === 'RUNNING' ? { host: '127.0.0.1', port: 1 } : undefined,
    startedAt: status === 'RUNNING' ? '2026-01-01T00:00:00.500Z' : undefined,
    stop: status === 'STOPPED' ? stop : undefined,
  }
}

const see = (agent: Agent, ...tasks: Task[]) =>
  tasks.reduce((now, task) => applyTaskState(now, task).agent, agent)

const started = nextGeneration(fresh)
const running = see(started, taskOf(1, 3), taskOf(1, 4))

describe('a task event', () => {
  it('reports starting, running and healthy, each once', () => {
    const changes: string[] = []
    let agent = started
    for (const version of [1, 2, 3, 4]) {
      const observed = applyTaskState(agent, taskOf(1, version))
      changes.push(`${observed.change} ${observed.agent.status}`)
      agent = observed.agent
    }
    expect(changes).toEqual([
      'pending provisioning',
      'pending provisioning',
      'running provisioning',
      'healthy running',
    ])
    expect(agent).toMatchObject({ address: { port: 1 }, startedAt: '2026-01-01T00:00:00.500Z' })
  })

  it.each([
    ['EssentialContainerExited', running, 'crashed', 'error'],
    ['TaskFailedToStart', started, 'crashed', 'error'],
    ['TerminationNotice', running, 'stopped-host', 'provisioning'],
    ['SpotInterruption', running, 'stopped-host', 'provisioning'],
    ['UserInitiated', running, 'stopped-asked', 'provisioning'],
    ['UserInitiated', stopped(running), 'stopped-asked', 'stopped'],
    ['EssentialContainerExited', stopped(running), 'stopped-asked', 'stopped'],
  ])(
    'a task event with the code %s moves the agent to the expected status',
    (code, agent, change, status) => {
      const observed = applyTaskState({ ...agent, aiKeyHash: 'h' }, taskOf(1, 6, code))
      expect([observed.change, observed.agent.status]).toEqual([change, status])
      expect(observed.stop).toMatchObject({ code, exitCode: 1 })
      expect(observed.agent.address).toBeUndefined()
      expect(observed.agent.aiKeyHash).toBeUndefined()
    },
  )

  it('a task event that reports missing spare capacity requests the full price only for the next start', () => {
    const lack = (text: string) => {
      const task = taskOf(1, 6, 'TaskFailedToStart')
      return applyTaskState(started, { ...task, stop: { ...task.stop!, text } })
    }
    const none = lack('Capacity is unavailable at this time. Please try again later.')
    expect([none.change, none.send]).toEqual(['refused-host', 'start'])
    expect(none.agent).toMatchObject({ generation: 2, startAttempts: 1, onDemand: true })
    expect(nextGeneration(none.agent).onDemand).toBeUndefined()
    expect(
      lack('Timeout waiting for network interface provisioning').agent.onDemand,
    ).toBeUndefined()
  })

  it('stops a task that no agent wants, only while it runs', () => {
    const other = { ...taskOf(1, 3), arn: 'task/other' }
    expect(applyTaskState(running, other)).toEqual({ agent: running, change: 'none', send: 'stop' })
    expect(applyTaskState(running, { ...taskOf(1, 5), arn: 'task/other' }).send).toBeUndefined()
    expect(applyTaskState(stopped(started), taskOf(1, 3)).send).toBe('stop')
  })

  it('records the last image that ran, and not one that never started', () => {
    expect(see(started, taskOf(1, 2)).ranImage).toBeUndefined()
    expect(running.ranImage).toBe('agent:1')
    const again = { ...nextGeneration(see(running, taskOf(1, 6))), image: 'agent:2' }
    expect(see(again, taskOf(2, 2)).ranImage).toBe('agent:1')
    expect(see(again, taskOf(2, 6, 'TaskFailedToStart')).ranImage).toBe('agent:1')
    expect(see(again, taskOf(2, 3)).ranImage).toBe('agent:2')
    // The event of its start was lost, or comes after the event of its end.
    const ended = { ...taskOf(2, 6), startedAt: '2026-01-01T00:00:00.500Z' }
    expect(see(again, ended).ranImage).toBe('agent:2')
    const replaced = nextGeneration(see(again, taskOf(2, 1)))
    expect(see(replaced, ended)).toMatchObject({ ranImage: 'agent:2', previousTaskArn: undefined })
    expect(see(replaced, taskOf(2, 6)).ranImage).toBe('agent:1')
  })

  it('lets the next start continue once the earlier task has ended', () => {
    const again = nextGeneration(running)
    expect(again.previousTaskArn).toBe('task/1')
    expect(applyTaskState(again, taskOf(1, 5))).toEqual({ agent: again, change: 'none' })
    const observed = applyTaskState(again, taskOf(1, 6))
    expect([observed.send, observed.agent.previousTaskArn]).toEqual(['start', undefined])
    // The process that stored the end may have died before it sent the start, so a repeat sends it again.
    expect(applyTaskState(observed.agent, taskOf(1, 6))).toEqual({
      ...observed,
      agent: observed.agent,
    })
    const started = see(observed.agent, taskOf(2, 1))
    expect(applyTaskState(started, taskOf(1, 6))).toEqual({ agent: started, change: 'none' })
    expect(applyTaskState(stopped(again), taskOf(1, 6)).send).toBeUndefined()
  })
})

type Step =
  | { kind: 'start' | 'stop' | 'fail' }
  | { kind: 'event'; generation: number; version: number; code: string }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('start' as const, 'stop' as const, 'fail' as const) }),
  fc.record({
    kind: fc.constant('event' as const),
    generation: fc.integer({ min: 1, max: 5 }),
    version: fc.integer({ min: 1, max: life.length }),
    code: fc.constantFrom('EssentialContainerExited', 'TerminationNotice', 'UserInitiated'),
  }),
)

/** Returns the moves that contract.md 7 allows for a step. */
function movesOf(given: Step): AgentMove[] {
  if (given.kind === 'start') return ['start']
  if (given.kind === 'stop') return ['stop']
  if (given.kind === 'fail') return ['fail', 'stop']
  return ['healthy', 'lost', 'fail']
}

function take(agent: Agent, given: Step): Agent {
  if (given.kind === 'event')
    // A task of a start that never happened is ignored.
    return given.generation > agent.generation
      ? agent
      : applyTaskState(agent, taskOf(given.generation, given.version, given.code)).agent
  if (given.kind === 'start') return nextGeneration(agent)
  return given.kind === 'stop' ? stopped(agent) : asFailed(agent, undefined)
}

describe('events of any kind in any order', () => {
  it('cause no illegal transition, and stale events have no effect', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let agent = fresh
        for (const input of steps) {
          const next = take(agent, input)
          const legal = movesOf(input).map((move) => nextStatus(agent.status, move))
          expect([agent.status, ...legal]).toContain(next.status)
          if (input.kind === 'event') {
            expect(take(next, input)).toEqual(next)
            if (input.generation < agent.generation)
              expect({ ...next, previousTaskArn: 0 }).toEqual({ ...agent, previousTaskArn: 0 })
            else if (input.version <= (agent.taskVersion ?? 0)) expect(next).toBe(agent)
          }
          expect(next.generation).toBeGreaterThanOrEqual(agent.generation)
          if (next.status === 'running')
            expect([next.desired, next.taskStatus]).toEqual([
              'running',
              expect.stringMatching(/ING$/),
            ])
          if (next.taskStatus === 'STOPPED') expect(next.address).toBeUndefined()
          agent = next
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('result only in the state of the latest event, in any order and with repeats', () => {
    const versions = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(versions, (order) => {
        const { status, taskStatus, taskVersion } = see(
          started,
          ...order.map((version) => taskOf(1, version)),
        )
        const latest = Math.max(...order)
        expect([taskStatus, taskVersion]).toEqual([life[latest - 1]?.status, latest])
        expect(status).toBe(latest === 4 ? 'running' : 'provisioning')
      }),
    )
  })

  it('have the table of transitions of the contract', () => {
    const to = (move: AgentMove) => agentStatuses.map((status) => nextStatus(status, move))
    expect(to('start')).toEqual(Array(5).fill('provisioning'))
    expect(to('stop')).toEqual(Array(5).fill('stopped'))
    expect(to('healthy')).toEqual([undefined, 'running', 'running', undefined, undefined])
    expect(to('fail')).toEqual([undefined, 'error', 'error', undefined, 'error'])
  })
})
