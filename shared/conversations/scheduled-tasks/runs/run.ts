import type * as z from 'zod'
import type { runRows } from '../rows.ts'

/**
 * A run of a task. It is `waiting`, then `started` from just before the request to the agent, and then ended. Until it
 * has ended, it is in the index at the time of the tick's next check. It has no lease like other durable work, because
 * a started run is never claimed again: the state is its token, and the tick ends it after its turn's last heartbeat.
 */
export type Run = z.output<ReturnType<typeof runRows.declared.schema>>

/** Milliseconds after which a claimed run that has not started is sent again. */
export const resendMs = 60_000

/**
 * A started run without a turn is over after this time: longer than its job may live (`timeoutSeconds` of task-runs).
 */
export const runSeconds = 330

/**
 * Milliseconds between two checks whether a started run continues: as long as a turn lives after its last heartbeat.
 */
export const lookMs = 45_000

/**
 * The time after which a run that cannot start fails. It is enough for all of a user's tasks if they are due at the
 * same time.
 */
export const startSeconds = 3600

const retentionDays = 30

/** Returns when a run's row expires, in epoch seconds. */
export function expiryOf(now: number): number {
  return Math.ceil(now / 1000) + retentionDays * 86_400
}
