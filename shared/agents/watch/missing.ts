import { liveTasks } from '../tasks.ts'
import type { DueAgent } from './due-agent.ts'

/** How long a message may take before it counts as lost, in milliseconds; longer than a consumer's whole backoff step. */
const graceMs = 30_000

/** How long a task may be on its way without an event: a container that is fetched is silent for a while. */
const silenceMs = 90_000

/**
 * What is missing for an agent to be as it should be. `restart` needs a new generation: its task has ended. `news` are
 * the events of a task, which should have come.
 */
export type Missing = 'start' | 'restart' | 'stop' | 'news' | 'delete'

/** Compares what is wanted of an agent with what was seen of it; undefined where nothing is missing or it is too soon. */
export function missing(agent: DueAgent, now: number): Missing | undefined {
  const what = missingOf(agent)
  return what === undefined || now < missingFrom(agent, what) ? undefined : what
}

/** From when on something counts as missing, in epoch milliseconds; undefined where nothing will, as the row is. */
export function missingAt(agent: DueAgent): number | undefined {
  const what = missingOf(agent)
  return what && missingFrom(agent, what)
}

/** Whether what an agent misses, or would by and by, is sent through the provisioning queue. */
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
  // A crash is the watchdog's to answer; a task that was merely lost is not.
  return isWatched(agent) ? undefined : 'restart'
}

function missingFrom({ updatedAt, retryAt = 0 }: DueAgent, what: Missing): number {
  return Math.max(Date.parse(updatedAt), retryAt) + (what === 'news' ? silenceMs : graceMs)
}

/** The watchdog has a step of its own under way. */
function isWatched({ watchdog }: DueAgent): boolean {
  return watchdog.state === 'repairing' || watchdog.state === 'crash_loop'
}
