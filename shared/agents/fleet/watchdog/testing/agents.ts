import fc from 'fast-check'
import { type Agent, agentStatuses } from '#shared/agents/record/agent.ts'
import { newWatchdog, type Watchdog, watchdogStates } from '#shared/agents/watchdog/schema.ts'
import type { TaskStop } from '#shared/platform/containers/port.ts'
import { isoOf } from '#shared/platform/times.ts'

/** The time of the checks. */
export const epoch = Date.UTC(2026, 0, 1)
const at = isoOf(epoch)

export function agentWith(fields: Partial<Agent>): Agent {
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
    watchdog: newWatchdog(epoch),
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

const minutes = (count: number) => count * 60_000
const ago = (ms: number) => isoOf(epoch - ms)

/** Any state of an agent's task in its row. */
const anyTask = fc.record(
  {
    taskArn: fc.constant('arn'),
    taskStatus: fc.constantFrom('PENDING', 'RUNNING', 'DEACTIVATING', 'STOPPED'),
    previousTaskArn: fc.constant('earlier'),
    stopReason: fc
      .constantFrom(...stopCodes)
      .map((code): TaskStop => ({ code, exitCode: 1, text: '', at })),
  },
  { requiredKeys: [] },
)

/** Any activity in an agent's row. */
const anyWork = fc.record(
  {
    config: fc.record({ sleepAfterMinutes: fc.constantFrom(5, null) }, { requiredKeys: [] }),
    updatedAt: fc.constantFrom(0, minutes(1)).map(ago),
    startedAt: fc.constantFrom(0, minutes(10)).map(ago),
    lastActiveAt: fc.constantFrom(0, minutes(10)).map(ago),
    busyUntil: fc.constantFrom(epoch - minutes(10), epoch + minutes(1)),
    retryAt: fc.constantFrom(epoch - minutes(10), epoch + minutes(1)),
    deleting: fc.constant(true as const),
  },
  { requiredKeys: [] },
)

/** The last healthy settings, or settings on trial. */
const anyHealth = fc.record(
  {
    startedWith: fc.constantFrom({ model: 'a' }, { model: 'b' }),
    healthyConfig: fc.constantFrom({ model: 'a' }, { model: 'b' }),
    healthyImage: fc.constantFrom('agent:1', 'agent:0'),
    trial: fc.constantFrom({ pin: null }, { pin: 'agent:0' }),
    fallenBack: fc.constant(true as const),
  },
  { requiredKeys: [] },
)

const anyWatchdog = fc
  .record({
    state: fc.constantFrom(...watchdogStates),
    repair: fc.constantFrom(null, 'stopping' as const, 'starting' as const),
    generation: fc.constantFrom(null, 1, 2),
    dueAt: fc.constantFrom(null, epoch - 11_000, epoch, epoch + 1),
    crashes: fc.array(
      fc.nat(5000).map((ms) => epoch - ms),
      { maxLength: 4 },
    ),
    attempts: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ repair, ...fields }): Watchdog =>
    Object.assign(newWatchdog(epoch), fields, fields.state === 'repairing' && { repair }),
  )

/** Any possible row, and many impossible ones. */
export const anyAgent: fc.Arbitrary<Agent> = fc
  .tuple(
    fc.record({
      status: fc.constantFrom(...agentStatuses),
      desired: fc.constantFrom('running' as const, 'stopped' as const),
      generation: fc.constantFrom(1, 2),
      watchdog: anyWatchdog,
    }),
    anyTask,
    anyWork,
    anyHealth,
  )
  .map(([wanted, task, work, health]) => agentWith({ ...wanted, ...task, ...work, ...health }))
