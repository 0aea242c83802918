import type { Context } from '../../identity/context.ts'
import { tryCommit } from '../../platform/table/commit.ts'
import { dueIndex, runRows } from '../rows.ts'
import { placeFreed } from './places.ts'
import { isoAfter, type Run } from './run.ts'

/**
 * Has a started run wait again, which is right only where its agent was not asked. Its place is free for another run. The
 * tick looks after it so many seconds after `now` (epoch milliseconds).
 * @returns whether it was still started
 */
export async function putRunBack(
  { table }: Pick<Context, 'table'>,
  { run, seconds, now }: { run: Run; seconds: number; now: number },
): Promise<boolean> {
  const refusals = await tryCommit(table, {
    run: {
      update: runRows.key(run),
      set: { state: 'waiting', ...dueIndex(run.taskId, isoAfter(now, seconds)) },
      remove: ['startedAt'],
      if: '#state = :started',
      values: { started: 'started' },
    },
    place: placeFreed(run.userId),
  })
  return refusals === undefined
}
