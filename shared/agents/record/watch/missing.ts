import { liveTasks } from '../tasks.ts'
import type { DueAgent } from './due-agent.ts'

/** After this time, a message counts as lost, in milliseconds. Longer than a consumer's longest backoff. */
const graceMs = 30_000

/** The time that a starting task can be without an event, in milliseconds. Pulling an image takes a while. */
const silenceMs = 90_000

/**
 * The missing part of an agent. `restart` needs a new generation, because its task has ended. `news` are overdue events of a
 * task.
 */
export type Missing = 'start' | 'restart' | 'stop' | 'news' | 'delete'

/** Compares the desired with the observed state of an agent. Undefined if nothing is missing or it is too soon. */
export function missing(agent: DueAgent, now: number): Missing | undefined {
  const what = missingOf(agent)
  return what === undefined || now < missingFrom(agent, what) ? undefined : what
}

/**
 * Returns the time when something counts as missing, in epoch milliseconds. Undefined if nothing can be missing for
 * this row.
 */
export function missingAt(agent: DueAgent): number | undefined {
  const what = missingOf(agent)
  return what && missingFrom(agent, what)
}

/** Returns whether the missing item is sent through the provisioning queue. */
export function isInProvisioning(agent: DueAgent): boolean {
  const what = missingOf(agent)
  return what === 'start' || what === 'stop' || what === 'delete'
}

function missingOf(agent: DueAgent): Missing | undefined {
  if (agent.deleting) return 'delete'
  if (agent.desired === 'stopped') return liveTasks(agent).length > 0 ? 'stop' : undefined
  if (agent.taskArn === undefined) return 'start'
  if (agent.status !== 'provisioning' || agent.taskStatus === 'RUNNING') return undefined
  if (agent.taskStatus !== 'STOPPED') return 'news'
  // The watchdog handles crashes, but not tasks that were only lost.
  return isWatched(agent) ? undefined : 'restart'
}

function missingFrom({ updatedAt, retryAt = 0 }: DueAgent, what: Missing): number {
  return Math.max(Date.parse(updatedAt), retryAt) + (what === 'news' ? silenceMs : graceMs)
}

/** Returns whether a step of the watchdog is in progress. */
function isWatched({ watchdog }: DueAgent): boolean {
  return watchdog.state === 'repairing' || watchdog.state === 'crash_loop'
}
