import type { Agent } from '../../agents/agent.ts'
import type { WatchdogEvent } from '../../watchdog/event.ts'
import type { Probe } from './probe.ts'
import type { WatchdogSettings } from '../../watchdog/settings.ts'

/** The states of a task whose container has been there to be looked at. */
const hasRun = new Set<string | undefined>(['RUNNING', 'DEACTIVATING', 'STOPPING', 'STOPPED'])

/** Whether a repair's container has not had its time yet: it may be placed long after it was asked for. */
function isComingUp(settings: WatchdogSettings, agent: Agent, now: number): boolean {
  const { taskStatus, startedAt } = agent
  if (taskStatus !== 'RUNNING' || startedAt === undefined) return !hasRun.has(taskStatus)
  return now - Date.parse(startedAt) < settings.WATCHDOG_REPAIR_START_WAIT * 1000
}

/** Whether its task may have gone away with its machine, for all that its row says. */
function mayBeLost({ taskArn, leaving, seenUp, watchdog: { askedAt } }: Agent): boolean {
  if (taskArn === undefined) return false
  return leaving === true || askedAt === undefined || seenUp !== askedAt
}

/** What the step that was due comes to, of an agent that answered as `found`. Pure. */
export function stepOf(
  settings: WatchdogSettings,
  agent: Agent,
  found: Probe | undefined,
  now: number,
): WatchdogEvent | undefined {
  const { watchdog, startAttempts = 0, taskArn } = agent
  if (watchdog.state === 'repairing' && watchdog.repair === 'stopping')
    return { type: 'repair-stop-waited' }
  if (found === undefined) return undefined
  const silence = { cause: found.healthy ? '' : found.cause, mayBeLost: mayBeLost(agent) }
  // Without a task, its start waits for room, or in a long queue behind the starts of others: no fault of its own.
  const forCapacity = startAttempts > 0 || taskArn === undefined
  if (watchdog.state === 'repairing' && !found.healthy && isComingUp(settings, agent, now))
    return { type: 'repair-start-pending', ...silence, forCapacity }
  if (watchdog.state === 'repairing')
    return { type: 'repair-start-waited', healthy: found.healthy, ...silence }
  return found.healthy ? { type: 'check-passed' } : { type: 'check-failed', ...silence }
}
