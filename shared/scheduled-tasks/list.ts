import { requireAgent } from '../agents/find.ts'
import type { UserContext } from '../identity/context.ts'
import { userStore } from '../platform/table/user-store.ts'
import { everyTask, type ScheduledTask } from './task.ts'

/**
 * A user's tasks, oldest first: all, or those of one agent.
 * @throws PlatformError 404 for an agent that is not theirs
 */
export async function listTasks(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { agentId }: { agentId?: string | undefined },
): Promise<ScheduledTask[]> {
  const userId = actor.user.id
  if (agentId !== undefined) await requireAgent({ table }, { agentId, owner: userId })
  const tasks = await everyTask(userStore(table, userId))
  return agentId === undefined ? tasks : tasks.filter((task) => task.agentId === agentId)
}
