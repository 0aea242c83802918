import { isRunning } from '../activity/running.ts'
import type { Agent } from '../agent.ts'
import { fillWorkspace } from './fill.ts'
import { isFilled } from './state.ts'
import type { TendContext } from './tend.ts'

/**
 * Gives a changed workspace to the container at once, where one runs. Where that fails, the change is in the table
 * all the same, and the next check gives it.
 * @returns whether the running container has everything
 */
export async function pushWorkspace(ctx: TendContext, agent: Agent): Promise<boolean> {
  if (!isRunning(agent)) return false
  try {
    return isFilled(await fillWorkspace(ctx, agent))
  } catch (error) {
    ctx.log.warn('the workspace was not given', { agentId: agent.id, error })
    return false
  }
}
