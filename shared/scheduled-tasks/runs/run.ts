import * as z from 'zod'
import type { Item } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'

/** What the tick sends, and what a run is named by. */
export const runMessage = z.object({
  userId: z.string(),
  taskId: z.string(),
  /** When it was due: ISO 8601. */
  due: z.string(),
})

export type RunRef = z.output<typeof runMessage>

/**
 * One run of a task. It is `waiting` until the agent is asked, `started` from just before that on, and then over. While
 * it is not over it has a place in the index, at the time when somebody must look after it.
 */
export interface Run extends RunRef {
  state: 'waiting' | 'started' | 'ok' | 'failed'
  /** Names the message to the agent in its history. */
  seed: string
  startedAt?: string
  endedAt?: string
  reason?: string
}

/** A run that was claimed is sent again after this long without being started. */
export const resendSeconds = 60

/** Longer than the job that carries out a run may live, so that one which outlives it was killed. */
export const runSeconds = 900

/** A run that could not be started for this long is given up: enough for all of a user's tasks, due at once, in turn. */
export const startSeconds = 3600

const keptDays = 30

const prefix = 'run#'

export function runSortKey({ taskId, due }: Pick<RunRef, 'taskId' | 'due'>): string {
  return `${prefix}${taskId}#${due}`
}

export function runKey(run: RunRef) {
  return { pk: userPartition(run.userId), sk: runSortKey(run) }
}

export function isRun({ sk }: Item): boolean {
  return sk.startsWith(prefix)
}

export function toRun(item: Item): Run {
  const { pk: _pk, sk: _sk, gsi1pk: _gsi1pk, gsi1sk: _gsi1sk, expiresAt: _, ...run } = item
  return run as unknown as Run
}

/** Epoch seconds at which a run's row may go. */
export function expiryOf(now: number): number {
  return Math.ceil(now / 1000) + keptDays * 86_400
}

/** ISO 8601, so many seconds after `now`. */
export function isoAfter(now: number, seconds: number): string {
  return new Date(now + seconds * 1000).toISOString()
}
