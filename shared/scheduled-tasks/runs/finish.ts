import { withoutConflicts } from '../../platform/table/conflict.ts'
import { type Table, TransactionFailed, type Write } from '../../platform/table/port.ts'
import { taskKey } from '../task.ts'
import { placeFreed } from './places.ts'
import { type Run, runKey } from './run.ts'

export type RunEnd = { state: 'ok' } | { state: 'failed'; reason: string }

/**
 * Ends a run that is in the state it was seen in, gives back its place, and notes on its task how. Whoever comes second
 * changes nothing.
 * @returns whether it was ended here
 */
export async function finishRun(table: Table, run: Run, end: RunEnd): Promise<boolean> {
  const { userId, taskId, due } = run
  const endRun = {
    update: runKey(run),
    set: { ...end, endedAt: new Date().toISOString() },
    remove: ['gsi1pk', 'gsi1sk'],
    if: '#state = :seen',
    values: { seen: run.state },
  }
  const noteIt = {
    update: taskKey({ userId, id: taskId }),
    set: {
      lastRun: due,
      lastStatus: end.state === 'ok' ? 'ok' : `failed: ${end.reason}`,
    },
    add: { revision: 1 },
    remove: ['activeRun'],
    if: '#activeRun = :due',
    values: { due },
  }
  const endIt = run.state === 'started' ? [endRun, placeFreed(userId)] : [endRun]
  try {
    await withoutConflicts(() => table.transact([...endIt, noteIt]))
    return true
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(0)) return false
    if (!error.refused(endIt.length)) throw error
    // The task was deleted meanwhile; its run ends all the same.
    return finishAlone(table, endIt)
  }
}

async function finishAlone(table: Table, endIt: readonly Write[]): Promise<boolean> {
  try {
    await withoutConflicts(() => table.transact(endIt))
    return true
  } catch (error) {
    if (error instanceof TransactionFailed && error.refused(0)) return false
    throw error
  }
}
