import { userCount } from '#shared/accounts/users/counter.ts'
import type { Deletion } from '#shared/agents/record/deletion.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { taskRows } from './rows.ts'
import { everyTask, type OnlyAgent } from './task.ts'

/**
 * Deletes a user's task.
 * @throws PlatformError 404
 */
export async function deleteTask(
  { table, owner, onlyAgent }: Pick<UserContext, 'owner' | 'table'> & OnlyAgent,
  { taskId }: { taskId: string },
): Promise<void> {
  const store = userStore(table, owner)
  if (!(await removeTask(store, taskId, onlyAgent))) throw notFound('Task')
}

/** Deletes all tasks of a deleted agent. */
export async function removeTasks({
  store,
  agentId,
}: Pick<Deletion, 'store' | 'agentId'>): Promise<boolean> {
  for (const task of await everyTask(store))
    if (task.agentId === agentId) await removeTask(store, task.id)
  return true
}

/**
 * Deletes a task and decreases the count of tasks exactly once.
 * @param onlyOf an agent, to delete only its tasks
 * @returns false if the task does not exist
 */
export function removeTask(store: UserStore, taskId: string, onlyOf?: string): Promise<boolean> {
  const { userId } = store
  return deleteCounted(store, {
    delete: taskRows.key({ userId, taskId }),
    count: userCount(userId, taskRows),
    ...(onlyOf !== undefined && { only: { if: '#agentId = :onlyOf', values: { onlyOf } } }),
  })
}
