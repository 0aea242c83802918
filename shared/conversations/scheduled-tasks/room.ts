import type { UserStore } from '#shared/platform/table/user-store.ts'
import { taskLimitReached, taskLimit } from './create.ts'
import { everyTask } from './task.ts'

/**
 * Checks that a user may have this many tasks of one agent in addition to the tasks of other agents.
 * @throws PlatformError 409 TASK_LIMIT_REACHED
 */
export async function requireRoom(
  store: UserStore,
  { agentId, tasks }: { agentId: string; tasks: number },
): Promise<void> {
  if (tasks === 0) return
  const others = (await everyTask(store)).filter((task) => task.agentId !== agentId)
  if (others.length + tasks > taskLimit) throw taskLimitReached()
}
