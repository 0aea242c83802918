import type { Agent } from '../agent.ts'
import type { AgentServices } from '../context.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import { requireProvisioning } from '../lifecycle/guard.ts'
import { withImage } from './wanted.ts'

/**
 * Starts an agent anew on another image because a person wants it. Where that one is never seen to be well, the
 * watchdog takes the agent back to the image before it: healthy/fallback.ts.
 * @param image absent for the platform's own
 * @throws PlatformError 500 while KILL_SWITCH, 404 where it is deleted meanwhile
 */
export async function updateImage(
  ctx: AgentServices,
  agent: Agent,
  image: string | undefined,
): Promise<Agent> {
  requireProvisioning(ctx)
  return changeByPerson(ctx, agent, 'update', (current) => ({
    agent: withImage(current, image, ctx.config.AGENT_IMAGE),
    restarts: true,
  }))
}
