import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Agent, agentStatuses } from '../agents/agent.ts'
import { settings } from '../../tests/support/watchdog.ts'
import { missedEvent } from './missed.ts'
import { newWatchdog, WatchdogState } from './schema.ts'
import { settle } from './settle.ts'

const now = Date.UTC(2026, 0, 1)
const at = new Date(now).toISOString()

function agentWith(fields: Partial<Agent>): Agent {
  return {
    id: 'agt_1',
    userId: 'usr_1',
    name: 'Ada',
    subdomain: 'ada',
    model: 'gpt-4',
    plan: 'solo',
    aiProvider: 'router',
    config: {},
    image: 'agent:1',
    status: 'provisioning',
    desired: 'running',
    generation: 1,
    revision: 1,
    tokenVersion: 1,
    watchdog: newWatchdog(now),
    createdAt: at,
    updatedAt: at,
    ...fields,
  }
}

const stopCodes = [
  'UserInitiated',
  'EssentialContainerExited',
  'TaskFailedToStart',
  'TerminationNotice',
  'SpotInterruption',
  'CrashLoop',
]

/** Any row that may come to be, and many that should not. */
const anyAgent = fc
  .record({
    status: fc.constantFrom(...agentStatuses),
    desired: fc.constantFrom('running' as const, 'stopped' as const),
    generation: fc.constantFrom(1, 2),
    taskStatus: fc.constantFrom(undefined, 'PENDING', 'RUNNING', 'DEACTIVATING', 'STOPPED'),
    code: fc.constantFrom(undefined, ...stopCodes),
    state: fc.constantFrom(...WatchdogState.options),
    repair: fc.constantFrom(null, 'stopping' as const, 'starting' as const),
    seen: fc.constantFrom(null, 1, 2),
    crashes: fc.integer({ min: 0, max: 4 }),
    attempts: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ status, desired, generation, taskStatus, code, state, repair, seen, ...counts }) =>
    agentWith({
      status,
      desired,
      generation,
      ...(taskStatus !== undefined && { taskArn: 'arn', taskStatus }),
      ...(code !== undefined && { stopReason: { code, exitCode: 1, text: '', at } }),
      watchdog: {
        ...newWatchdog(now),
        state,
        repair: state === 'repairing' ? repair : null,
        generation: seen,
        crashes: Array.from({ length: counts.crashes }, (_, n) => now - n * 1000),
        attempts: counts.attempts,
      },
    }),
  )

describe('settling', () => {
  it('a start of which nothing was heard ends in running, all at once', () => {
    const seen = agentWith({ status: 'running', taskArn: 'arn', taskStatus: 'RUNNING' })
    const { agent } = settle(seen, settings, now)
    expect(agent.watchdog).toMatchObject({ state: 'running', generation: 1, incidents: [] })
  })

  it('leaves nothing that is missed', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        expect(missedEvent(settle(agent, settings, now).agent)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  it('twice is the same as once', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const once = settle(agent, settings, now).agent
        const twice = settle(once, settings, now)
        expect(twice.agent).toBe(once)
        expect(twice.effects).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('starts nothing that is not to run', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const settled = settle({ ...agent, desired: 'stopped' }, settings, now)
        expect(settled.agent.generation).toBe(agent.generation)
        expect(settled.effects.map(({ type }) => type)).not.toContain('start-task')
      }),
      { numRuns: 1000 },
    )
  })

  it('changes nothing of the row that it was given', () => {
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const before = structuredClone(agent)
        settle(agent, settings, now, { type: 'crashed', cause: 'exit' })
        expect(agent).toEqual(before)
      }),
    )
  })
})
