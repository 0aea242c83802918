import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { everyTask, isAccessible, type OnlyAgent, type ScheduledTask } from './task.ts'

/**
 * Lists a user's tasks, oldest first: all, or one agent's.
 * @throws PlatformError 404 for another user's agent
 */
export async function listTasks(
  { table, owner, onlyAgent }: Pick<UserContext, 'owner' | 'table'> & OnlyAgent,
  { agentId }: { agentId?: string | undefined },
): Promise<ScheduledTask[]> {
  if (agentId !== undefined) await requireAgent({ table }, { agentId, owner })
  const tasks = await everyTask(userStore(table, owner))
  const accessible = tasks.filter((task) => isAccessible(task, { onlyAgent }))
  return agentId === undefined ? accessible : accessible.filter((task) => task.agentId === agentId)
}
