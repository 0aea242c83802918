import { isIdle } from '../activity/sleep.ts'
import { missing } from '../tasks/reconcile.ts'
import type { DueAgent } from './due-agent.ts'
import { missedEvent } from './missed.ts'

/** Messages that may be under way: a shorter overdue step is probably just about to be taken. */
const graceMs = 10_000

/** Whether a round has to see to an agent: its step is due, something was missed or not sent, or it has nothing to do. */
export function isDue(agent: DueAgent, now: number): boolean {
  const { state, dueAt, unsent } = agent.watchdog
  // What is due at the next regular look is due now; other steps have a message of their own.
  const grace = state === 'running' ? 0 : graceMs
  if (dueAt !== null && dueAt + grace <= now) return true
  if (unsent.length > 0 || isIdle(agent, now)) return true
  return missing(agent, now) !== undefined || missedEvent(agent) !== undefined
}
