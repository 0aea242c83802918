import { requireAgent } from '#shared/agents/record/find.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { everyTask, isAccessible, type ScheduledTask, type TaskContext } from './task.ts'

/**
 * Lists a user's tasks, oldest first: all, or one agent's.
 * @throws PlatformError 404 for another user's agent
 */
export async function listTasks(
  { table, actor }: TaskContext,
  { agentId }: { agentId?: string | undefined },
): Promise<ScheduledTask[]> {
  const userId = actor.user.id
  if (agentId !== undefined) await requireAgent({ table }, { agentId, owner: userId })
  const tasks = await everyTask(userStore(table, userId))
  const theirs = tasks.filter((task) => isAccessible(task, actor))
  return agentId === undefined ? theirs : theirs.filter((task) => task.agentId === agentId)
}
