import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { taskDueIndex, runRows } from '../rows.ts'
import { isoAfter, type Run } from './run.ts'

/**
 * Leaves a run waiting, to be sent again after a number of seconds from `now` (epoch milliseconds).
 * @returns whether its state was unchanged
 */
export async function postponeRun(
  { table }: Pick<Context, 'table'>,
  { run, seconds, now }: { run: Run; seconds: number; now: number },
): Promise<boolean> {
  return tryWrite(
    table.update(runRows.key(run), {
      set: { state: 'waiting', ...taskDueIndex(run.taskId, isoAfter(now, seconds)) },
      if: '#state = :seen',
      values: { seen: run.state },
    }),
  )
}
