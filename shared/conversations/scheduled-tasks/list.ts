import { requireAgent } from '#shared/agents/record/find.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { everyTask, isAccessible, type ScheduledTask, type TaskContext } from './task.ts'

/**
 * Lists a user's tasks, oldest first: all, or one agent's.
 * @throws PlatformError 404 for another user's agent
 */
export async function listTasks(
  { table, owner, onlyAgent }: TaskContext,
  { agentId }: { agentId?: string | undefined },
): Promise<ScheduledTask[]> {
  if (agentId !== undefined) await requireAgent({ table }, { agentId, owner })
  const tasks = await everyTask(userStore(table, owner))
  const theirs = tasks.filter((task) => isAccessible(task, { onlyAgent }))
  return agentId === undefined ? theirs : theirs.filter((task) => task.agentId === agentId)
}
