import { profileKey } from '../accounts/user.ts'
import type { Deletion } from '../agents/deletion.ts'
import { notFound } from '../platform/errors.ts'
import { refusalError, tryCommit } from '../platform/table/commit.ts'
import { present } from '../platform/table/present.ts'
import { type UserStore, userStore } from '../platform/table/user-store.ts'
import { taskRows } from './rows.ts'
import { everyTask, type TaskContext } from './task.ts'

/** @throws PlatformError 404 */
export async function deleteTask(
  { table, actor }: TaskContext,
  { taskId }: { taskId: string },
): Promise<void> {
  const store = userStore(table, actor.user.id)
  if (!(await removeTask(store, taskId, actor.onlyAgent))) throw notFound('Task')
}

/** An agent's tasks go with it; one that is gone already does no harm. */
export async function removeTasks({
  store,
  agentId,
}: Pick<Deletion, 'store' | 'agentId'>): Promise<boolean> {
  for (const task of await everyTask(store))
    if (task.agentId === agentId) await removeTask(store, task.id)
  return true
}

/**
 * Removes a task. @returns whether there was one; the count goes down exactly once with it.
 * @param onlyOf an agent, to leave the tasks of others alone
 */
export async function removeTask(
  store: UserStore,
  taskId: string,
  onlyOf?: string,
): Promise<boolean> {
  const { write } = store
  const theirs = onlyOf === undefined ? present() : { if: '#agentId = :onlyOf', values: { onlyOf } }
  const refusals = await tryCommit(store, {
    task: write.delete(taskRows.sk({ taskId }), theirs),
    count: write.update(profileKey, { add: { [taskRows.count]: -1 }, if: 'attribute_exists(pk)' }),
  })
  if (refusals === undefined) return true
  if (refusals.task !== undefined) return false
  throw refusalError(refusals, {})
}
