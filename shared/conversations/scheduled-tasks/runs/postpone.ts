import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { runRows, schedulesDue } from '../rows.ts'
import type { Run } from './run.ts'

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
      set: { state: 'waiting', ...schedulesDue.at(run.taskId, now + seconds * 1000) },
      if: '#state = :seen',
      values: { seen: run.state },
    }),
  )
}
