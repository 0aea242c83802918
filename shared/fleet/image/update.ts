import { platformsImage } from '../../agents/image/platforms.ts'
import type { Agent } from '../../agents/agent.ts'
import type { AgentServices } from '../../agents/context.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import { requireProvisioning } from '../../agents/guard.ts'
import type { Starter } from '../../agents/permit.ts'
import { withImage } from './wanted.ts'

/**
 * Starts an agent anew on another image because a person wants it. Where that one is never seen to be well, the
 * watchdog takes the agent back to the image before it: last-known-good/fallback.ts.
 * @param input.image absent for the platform's own
 * @throws PlatformError 500 while KILL_SWITCH, 404 where it is deleted meanwhile, 402 and 409 as permitStart
 */
export async function updateImage(
  ctx: AgentServices,
  { agent, image, by = 'owner' }: { agent: Agent; image?: string | undefined; by?: Starter },
): Promise<Agent> {
  requireProvisioning(ctx)
  const decide = (current: Agent) => ({
    agent: {
      ...withImage(current, image, platformsImage(ctx.config, agent.id)),
      updateGeneration: current.generation + 1,
    },
    restarts: true,
  })
  return changeByPerson(ctx, { agent, reason: 'update', by, decide })
}
