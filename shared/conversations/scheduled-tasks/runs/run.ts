import type * as z from 'zod'
import type { runRows } from '../rows.ts'

/**
 * A run of a task. It is `waiting`, then `started` from just before the request to the agent, and then ended. Until it
 * has ended, it is in the index at the time of the tick's next check.
 */
export type Run = z.output<ReturnType<typeof runRows.declared.schema>>

/** The time after which a claimed run that has not started is sent again. */
export const resendSeconds = 60

/** A started run without a turn is over after this time: longer than its job may live (`timeoutSeconds` of task-runs). */
export const runSeconds = 330

/** The tick looks this often whether a started run goes on: as long as a turn lives after its last heartbeat. */
export const lookSeconds = 45

/**
 * The time after which a run that cannot start fails. It is enough for all of a user's tasks if they are due at once.
 */
export const startSeconds = 3600

const keptDays = 30

/** Returns when a run's row expires, in epoch seconds. */
export function expiryOf(now: number): number {
  return Math.ceil(now / 1000) + keptDays * 86_400
}

/** Returns a time in ISO 8601, a number of seconds after `now`. */
export function isoAfter(now: number, seconds: number): string {
  return new Date(now + seconds * 1000).toISOString()
}
