import { withoutConflicts } from '../../platform/table/conflict.ts'
import { ConditionFailed, type Table } from '../../platform/table/port.ts'
import { dueIndex } from '../task.ts'
import { isoAfter, type Run, runKey } from './run.ts'

/**
 * Leaves a run waiting, to be sent again after so many seconds.
 * @returns whether it was still in the state it was seen in
 */
export async function postponeRun(
  table: Table,
  run: Run,
  seconds: number,
  now: number,
): Promise<boolean> {
  try {
    await withoutConflicts(() =>
      table.update(runKey(run), {
        set: { state: 'waiting', ...dueIndex(run.taskId, isoAfter(now, seconds)) },
        if: '#state = :seen',
        values: { seen: run.state },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}
