import { newSeed } from '../../platform/ids.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { ConditionFailed, type Table, TransactionFailed } from '../../platform/table/port.ts'
import { transition, writeOf } from '../change.ts'
import { nextRun } from '../next-run.ts'
import { dueIndex, type ScheduledTask, taskKey } from '../task.ts'
import { expiryOf, isoAfter, resendSeconds, type Run, runKey, type RunRef } from './run.ts'

/**
 * Takes the run that is due and moves the task on to the next time after now, both or none: what was missed while
 * nothing ran is caught up by this one run. The run is a row before its message is sent, so a lost message is found.
 * @returns the run, or undefined where another tick took it or the one before is still under way
 */
export async function claimRun(
  table: Table,
  task: ScheduledTask,
  now: number,
): Promise<RunRef | undefined> {
  const { id: taskId, userId, nextRun: due } = task
  if (due === null || due > new Date(now).toISOString()) return undefined
  const next = { ...task, nextRun: nextRun(task, new Date(now)), revision: task.revision + 1 }
  if (task.activeRun !== undefined) {
    await skip(table, task, next)
    return undefined
  }
  const run: Run = { userId, taskId, due, state: 'waiting', seed: newSeed(now) }
  const row = {
    ...run,
    ...runKey(run),
    ...dueIndex(taskId, isoAfter(now, resendSeconds)),
    expiresAt: expiryOf(now),
  }
  try {
    await withoutConflicts(() =>
      table.transact([
        transition(task, { ...next, activeRun: due, lastStatus: 'running' }),
        { put: row, if: 'attribute_not_exists(pk)' },
      ]),
    )
    return { userId, taskId, due }
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    if (error.refused(0)) return undefined
    if (!error.refused(1)) throw error
    // It has run: a machine whose clock is behind named the same time once more.
    await skip(table, task, next)
    return undefined
  }
}

/** Moves a task on without a run: no agent is asked for the same again, nor on top of what it is still at. */
async function skip(table: Table, task: ScheduledTask, next: ScheduledTask): Promise<void> {
  try {
    await withoutConflicts(() => table.update(taskKey(task), writeOf(task, next)))
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}
