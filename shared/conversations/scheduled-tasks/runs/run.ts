import type * as z from 'zod'
import type { runRows } from '../rows.ts'

/**
 * A run of a task. It is `waiting`, then `started` from just before the request to the agent, and then ended. Until it
 * has ended, it is in the index at the time of the tick's next check. It needs no lease, unlike other durable work,
 * because a started run is never claimed again: writes require the state, and the tick ends the run after its turn's
 * last heartbeat.
 */
export type Run = z.output<ReturnType<typeof runRows.declared.schema>>

/** The time after which a claimed run that has not started is sent again, in milliseconds. */
export const resendMs = 60_000

/**
 * A started run without a turn ends after this time in seconds, which is longer than its job can run (`timeoutSeconds`
 * of task-runs).
 */
export const runSeconds = 330

/**
 * The time between two checks of a started run in milliseconds: a turn counts as lost this long after its last
 * heartbeat.
 */
export const lookMs = 45_000

/**
 * A run that cannot start fails after this time in seconds, which is enough for all tasks of a user if they are due at
 * the same time.
 */
export const startSeconds = 3600

const retentionDays = 30

/** Returns the expiry of a run's row, in epoch seconds. */
export function expiryOf(now: number): number {
  return Math.ceil(now / 1000) + retentionDays * 86_400
}
