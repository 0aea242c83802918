import type * as z from 'zod'
import type { runRows } from '../rows.ts'

/**
 * One run of a task. It is `waiting` until the agent is asked, `started` from just before that on, and then over. While
 * it is not over it has a place in the index, at the time when the tick must look after it.
 */
export type Run = z.output<ReturnType<typeof runRows.declared.schema>>

/** A run that was claimed is sent again after this long without being started. */
export const resendSeconds = 60

/** Longer than the job that carries out a run may live, so that one which outlives it was killed. */
export const runSeconds = 900

/** A run that could not be started for this long is given up: enough for all of a user's tasks, due at once, in turn. */
export const startSeconds = 3600

const keptDays = 30

/** Epoch seconds at which a run's row may go. */
export function expiryOf(now: number): number {
  return Math.ceil(now / 1000) + keptDays * 86_400
}

/** ISO 8601, so many seconds after `now`. */
export function isoAfter(now: number, seconds: number): string {
  return new Date(now + seconds * 1000).toISOString()
}
