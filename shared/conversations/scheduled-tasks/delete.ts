import { userCount } from '#shared/accounts/users/counter.ts'
import type { Deletion } from '#shared/agents/record/deletion.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { type Parts, refusalError, tryCommit } from '#shared/platform/table/commit.ts'
import { decrement, deleteCounted } from '#shared/platform/table/delete-counted.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { taskRows } from './rows.ts'
import { alongErrors, everyTask, type OnlyAgent, type WritesAlong } from './task.ts'

/**
 * Deletes a user's task.
 * @throws PlatformError 404
 */
export async function deleteTask(
  {
    table,
    owner,
    onlyAgent,
    along,
  }: Pick<UserContext, 'owner' | 'table'> & OnlyAgent & WritesAlong,
  { taskId }: { taskId: string },
): Promise<void> {
  const store = userStore(table, owner)
  if (!(await removeTask(store, taskId, { onlyAgent, along }))) throw notFound('Task')
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
 * @returns false if the task does not exist
 */
export async function removeTask(
  store: UserStore,
  taskId: string,
  { onlyAgent, along }: OnlyAgent & WritesAlong = {},
): Promise<boolean> {
  const { userId } = store
  const key = taskRows.key({ userId, taskId })
  const count = userCount(userId, taskRows)
  const only =
    onlyAgent === undefined
      ? { if: 'attribute_exists(pk)' }
      : { if: '#agentId = :onlyAgent', values: { onlyAgent } }
  if (along === undefined) return deleteCounted(store, { delete: key, count, only })
  const refusals = await tryCommit(store, {
    ...along.parts,
    task: { delete: key, ...only },
    count: decrement(count),
  })
  if (refusals === undefined) return true
  if (refusals.task !== undefined) return false
  throw refusalError<Parts>(refusals, alongErrors({ along }))
}
