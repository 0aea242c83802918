import { userCounter } from '#shared/accounts/users/counter.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { insertCounted } from '#shared/platform/table/insert-counted.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { taskLimitReached, taskLimit } from './create.ts'
import { removeTask } from './delete.ts'
import { nextRun } from './next-run.ts'
import { taskRows } from './rows.ts'
import { everyTask, type ScheduledTask, toItem, updateOf } from './task.ts'

export type TaskReplacement = Pick<
  ScheduledTask,
  'id' | 'name' | 'description' | 'cronSchedule' | 'timezone' | 'prompt' | 'enabled' | 'createdAt'
>

/**
 * Replaces an agent's tasks, by id. Their past runs stay. Idempotent.
 * @throws PlatformError 409 TASK_LIMIT_REACHED if the owner has too many other tasks
 */
export async function replaceTasks(
  { table }: { table: Table },
  {
    userId,
    agentId,
    tasks,
  }: { userId: string; agentId: string; tasks: readonly TaskReplacement[] },
): Promise<void> {
  const store = userStore(table, userId)
  const newTasks = new Map(tasks.map((task) => [task.id, task]))
  for (const { id, agentId: of } of await everyTask(store))
    if (of === agentId && !newTasks.has(id)) await removeTask(store, id)
  for (const task of tasks) await replaceTask(store, agentId, task)
}

async function replaceTask(
  store: UserStore,
  agentId: string,
  replacement: TaskReplacement,
): Promise<void> {
  const { userId } = store
  const now = new Date()
  let isThere = false
  await changeItem(store.row(taskRows.sk({ taskId: replacement.id })), (item) => {
    isThere = item !== undefined
    if (item === undefined) return undefined
    const before = taskRows.parse(item)
    const next = replacement.enabled ? nextRun(replacement, now) : null
    const after: ScheduledTask = {
      ...before,
      ...replacement,
      agentId,
      nextRun: next,
      updatedAt: now.toISOString(),
      revision: before.revision + 1,
    }
    return { update: updateOf(before, after) }
  })
  if (isThere) return
  const task: ScheduledTask = {
    ...replacement,
    userId,
    agentId,
    lastRun: null,
    lastStatus: null,
    nextRun: replacement.enabled ? nextRun(replacement, now) : null,
    updatedAt: now.toISOString(),
    revision: 1,
  }
  await insertCounted(store, {
    put: toItem(task),
    count: userCounter(userId, taskRows, taskLimit),
    limitReached: taskLimitReached,
  })
}
