import { profileKey } from '../accounts/user.ts'
import { requireAgent } from '../agents/find.ts'
import { PlatformError } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Table, TransactionFailed } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { nextRun } from './next-run.ts'
import type { NewTask } from './schema.ts'
import { requireTask, type ScheduledTask, toItem } from './task.ts'

/** More than a person keeps an eye on. */
export const taskLimit = 200

/**
 * Makes a task for one of the user's agents. With the same seed it is the same task.
 * @throws PlatformError 404 for an agent that is not theirs, 409 TASK_LIMIT_REACHED
 */
export async function createTask(
  table: Table,
  userId: string,
  input: NewTask,
  seed: string,
): Promise<ScheduledTask> {
  const agent = await requireAgent(table, input.agentId, userId)
  const now = new Date()
  const task: ScheduledTask = {
    ...input,
    id: newId('task', seed),
    userId,
    agentId: agent.id,
    lastRun: null,
    lastStatus: null,
    nextRun: input.enabled ? nextRun(input, now) : null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    revision: 1,
  }
  const store = userStore(table, userId)
  const writes = [
    { put: toItem(task), if: 'attribute_not_exists(pk)' },
    store.write.update(profileKey, {
      add: { taskCount: 1 },
      if: 'attribute_exists(pk) AND (attribute_not_exists(#taskCount) OR #taskCount < :limit)',
      values: { limit: taskLimit },
    }),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
    return task
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error
    // A retry of the request that made it.
    if (error.refused(0)) return requireTask(store, task.id)
    if (error.refused(1)) throw limitReached()
    throw error
  }
}

function limitReached(): PlatformError {
  return new PlatformError('conflict', `You have ${taskLimit} scheduled tasks already`, {
    code: 'TASK_LIMIT_REACHED',
    details: { current: taskLimit, limit: taskLimit },
  })
}
