import { isRunning } from '../activity/running.ts'
import type { Agent } from '../agent.ts'
import { ensureFilled, type TendContext } from './ensure.ts'
import { isFilled } from './state.ts'

/**
 * Gives a changed workspace to the container at once, where one runs. Where that fails, the change is in the table
 * all the same, and the next check or turn gives it.
 * @returns whether a running container has everything
 */
export async function pushWorkspace(ctx: TendContext, agent: Agent): Promise<boolean> {
  return isRunning(agent) && isFilled(await ensureFilled(ctx, agent))
}
