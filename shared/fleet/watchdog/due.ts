import { isIdle } from '../activity/sleep.ts'
import type { Agent } from '../../agents/agent.ts'
import { missing } from '../tasks/reconcile.ts'
import { missedEvent } from './missed.ts'

/** Messages that may be under way: a shorter overdue step is probably just about to be taken. */
const graceMs = 10_000

/**
 * What of a row tells whether something is due for its agent. A round reads every agent, so it leaves out what a row
 * may be large by: configs, incidents, and the ones that were well.
 */
export const dueFields = [
  'id',
  'userId',
  'status',
  'desired',
  'generation',
  'taskArn',
  'taskStatus',
  'previousTaskArn',
  'stopReason',
  'retryAt',
  'startedAt',
  'lastActiveAt',
  'busyUntil',
  'deleting',
  'updatedAt',
  'config.sleepAfterMinutes',
  'watchdog.state',
  'watchdog.dueAt',
  'watchdog.repair',
  'watchdog.generation',
  'watchdog.unsent',
] as const

/**
 * Whether a round has to see to an agent: its step is due, something was missed or not sent, or it has nothing to do.
 * @param agent with `dueFields` at least
 */
export function isDue(agent: Agent, now: number): boolean {
  const { state, dueAt, unsent } = agent.watchdog
  // What is due at the next regular look is due now; other steps have a message of their own.
  const grace = state === 'running' ? 0 : graceMs
  if (dueAt !== null && dueAt + grace <= now) return true
  if (unsent.length > 0 || isIdle(agent, now)) return true
  return missing(agent, now) !== undefined || missedEvent(agent) !== undefined
}
