import type { Agent } from '#shared/agents/record/agent.ts'
import type { WatchdogEvent } from '#shared/agents/watchdog/event.ts'
import type { WatchdogSettings } from '#shared/agents/watchdog/settings.ts'
import type { ProbeResult } from './probe.ts'

/** The states of tasks whose container has run. */
const hasRun = new Set<string | undefined>(['RUNNING', 'DEACTIVATING', 'STOPPING', 'STOPPED'])

/** Returns whether a repair's container may still be starting. ECS can place it long after the request. */
function isComingUp(settings: WatchdogSettings, agent: Agent, now: number): boolean {
  const { taskStatus, startedAt } = agent
  if (taskStatus !== 'RUNNING' || startedAt === undefined) return !hasRun.has(taskStatus)
  return now - Date.parse(startedAt) < settings.WATCHDOG_REPAIR_START_WAIT * 1000
}

/** Returns whether the agent's task may be gone with its host, according to the agent's row. */
function mayBeLost({ taskArn, leaving, seenUp, watchdog: { askedAt } }: Agent): boolean {
  if (taskArn === undefined) return false
  return leaving === true || askedAt === undefined || seenUp !== askedAt
}

/** Returns the result of the due step, for an agent that answered with `found`. Pure. */
export function stepOf(
  settings: WatchdogSettings,
  agent: Agent,
  found: ProbeResult | undefined,
  now: number,
): WatchdogEvent | undefined {
  const { watchdog, startAttempts = 0, taskArn } = agent
  if (watchdog.state === 'repairing' && watchdog.repair === 'stopping')
    return { type: 'repair-stop-waited' }
  if (found === undefined) return undefined
  const silence = { cause: found.healthy ? '' : found.cause, mayBeLost: mayBeLost(agent) }
  // A start without a task waits for capacity or in a long queue, which is not the agent's fault.
  const forCapacity = startAttempts > 0 || taskArn === undefined
  if (watchdog.state === 'repairing' && !found.healthy && isComingUp(settings, agent, now))
    return { type: 'repair-start-pending', ...silence, forCapacity }
  if (watchdog.state === 'repairing')
    return { type: 'repair-start-waited', healthy: found.healthy, ...silence }
  return found.healthy ? { type: 'check-passed' } : { type: 'check-failed', ...silence }
}
