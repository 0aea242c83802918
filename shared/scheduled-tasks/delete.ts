import { profileKey } from '../accounts/user.ts'
import { notFound } from '../platform/errors.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Table, TransactionFailed } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { everyTask, taskSortKey } from './task.ts'

/** @throws PlatformError 404 */
export async function deleteTask(table: Table, userId: string, taskId: string): Promise<void> {
  if (!(await remove(table, userId, taskId))) throw notFound('Task')
}

/** Removes what an agent leaves behind; a task that is gone already does no harm. */
export async function deleteTasksOf(table: Table, userId: string, agentId: string): Promise<void> {
  const tasks = await everyTask(userStore(table, userId))
  for (const task of tasks) if (task.agentId === agentId) await remove(table, userId, task.id)
}

/** Whether there was one. The count goes down exactly once with it. */
async function remove(table: Table, userId: string, taskId: string): Promise<boolean> {
  const { write } = userStore(table, userId)
  const writes = [
    write.delete(taskSortKey(taskId), { if: 'attribute_exists(pk)' }),
    write.update(profileKey, { add: { taskCount: -1 }, if: 'attribute_exists(pk)' }),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
    return true
  } catch (error) {
    if (error instanceof TransactionFailed && error.refused(0)) return false
    throw error
  }
}
