import type { Context } from '../../identity/context.ts'
import { webhookParts } from '../../outbound-webhooks/emit.ts'
import { tryCommit } from '../../platform/table/commit.ts'
import { runRows, taskRows } from '../rows.ts'
import { placeFreed } from './places.ts'
import type { Run } from './run.ts'

export type RunEnd =
  | { state: 'ok'; reply: string; tokens: number | null }
  | { state: 'failed'; reason: string }
  | { state: 'cancelled'; reason: string | null }

/** What a task says of its last run. */
function statusOf(end: RunEnd): string {
  return end.state === 'failed' ? `failed: ${end.reason}` : end.state
}

/**
 * Ends a run that is in the state it was seen in, gives back its place, and notes on its task how. Of several calls the
 * first ends it; the others change nothing.
 * @returns whether it was ended here
 */
export async function finishRun(
  { table }: Pick<Context, 'table'>,
  { run, end }: { run: Run; end: RunEnd },
): Promise<boolean> {
  const { userId, taskId, due } = run
  const type = end.state === 'ok' ? 'run.finished' : 'run.failed'
  const error = end.state === 'ok' ? null : end.reason
  const data = { kind: 'task', taskId, due, error }
  const ending = {
    run: {
      update: runRows.key(run),
      set: { ...end, endedAt: new Date().toISOString() },
      remove: ['gsi1pk', 'gsi1sk'],
      if: '#state = :seen',
      values: { seen: run.state },
    },
    place: run.state === 'started' ? placeFreed(userId) : undefined,
    ...(await webhookParts(table, userId, [{ type, data }])),
  }
  const refusals = await tryCommit(table, {
    ...ending,
    task: {
      update: taskRows.key({ userId, taskId }),
      set: {
        lastRun: due,
        lastStatus: statusOf(end),
      },
      add: { revision: 1 },
      remove: ['activeRun', 'catchingUp'],
      if: '#activeRun = :due',
      values: { due },
    },
  })
  if (refusals === undefined) return true
  if (refusals.run !== undefined) return false
  // The task was deleted meanwhile; its run ends all the same.
  return (await tryCommit(table, ending)) === undefined
}
