import { requireAgent } from '../agents/find.ts'
import { PlatformError } from '../platform/errors.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { ConditionFailed, type Table, type Update, type Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { nextRun } from './next-run.ts'
import { problemWith, type TaskChange } from './schema.ts'
import { dueIndex, requireTask, type ScheduledTask, taskKey } from './task.ts'

/**
 * Changes what is given. A run that is due just then is not lost by it, and none comes a second time.
 * @throws PlatformError 400 for a schedule that is none, 404 for a task or an agent that is not theirs
 */
export async function changeTask(
  table: Table,
  userId: string,
  taskId: string,
  change: TaskChange,
): Promise<ScheduledTask> {
  const store = userStore(table, userId)
  if (change.agentId !== undefined) await requireAgent(table, change.agentId, userId)
  for (;;) {
    const before = await requireTask(store, taskId)
    const after = changed(before, change, new Date())
    try {
      await withoutConflicts(() => table.update(taskKey(before), writeOf(before, after)))
      return after
    } catch (error) {
      // A run began, or another request changed it: what is there now is changed.
      if (!(error instanceof ConditionFailed)) throw error
    }
  }
}

function changed(before: ScheduledTask, change: TaskChange, now: Date): ScheduledTask {
  const after: ScheduledTask = { ...before, ...given(change), updatedAt: now.toISOString() }
  const problem = problemWith(after)
  if (problem !== undefined) throw new PlatformError('bad-request', problem.message)
  const isDue = before.nextRun !== null && before.nextRun <= now.toISOString()
  const same = before.cronSchedule === after.cronSchedule && before.timezone === after.timezone
  const keeps = before.nextRun !== null && (same || isDue)
  const next = keeps ? before.nextRun : nextRun(after, now)
  return { ...after, nextRun: after.enabled ? next : null, revision: before.revision + 1 }
}

function given(change: TaskChange): Partial<ScheduledTask> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

/** The write that takes a task from one state to the next, where it is still in the first. */
export function writeOf(before: ScheduledTask, after: ScheduledTask): Update {
  const { id: _id, userId: _userId, activeRun, ...rest } = after
  const place = after.nextRun === null ? undefined : dueIndex(after.id, after.nextRun)
  return {
    set: { ...rest, ...place, ...(activeRun !== undefined && { activeRun }) },
    remove: [
      ...(place === undefined ? ['gsi1pk', 'gsi1sk'] : []),
      ...(activeRun === undefined ? ['activeRun'] : []),
    ],
    if: '#revision = :seen',
    values: { seen: before.revision },
  }
}

/** The same as one write of a transaction. */
export function transition(before: ScheduledTask, after: ScheduledTask): Write {
  return { update: taskKey(before), ...writeOf(before, after) }
}
