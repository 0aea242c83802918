import { isRunning } from '../agents/running.ts'
import type { Agent } from '../agents/agent.ts'
import { ensurePushed, type SyncContext } from './ensure.ts'
import { isSynced } from '../agents/workspace-state.ts'

/**
 * Gives a changed workspace to the container at once, where one runs. Where that fails, the change is in the table
 * all the same, and the next check or turn gives it.
 * @returns whether a running container has everything
 */
export async function pushNow(ctx: SyncContext, { agent }: { agent: Agent }): Promise<boolean> {
  return isRunning(agent) && isSynced(await ensurePushed(ctx, { agent }))
}
