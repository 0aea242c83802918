import type { Agent } from '../../agents/agent.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import { requireProvisioning } from '../../agents/guard.ts'
import { starterOf } from '../../agents/permit.ts'
import type { TrustedContext } from '../context.ts'
import { requireOwned, tokenOf } from './get.ts'

/**
 * Gives an agent's gateway another token. The platform refuses the old one at once; a container that runs is replaced,
 * since it would go on taking it. Of two calls at once both answer the same new one.
 * @returns the new token
 * @throws PlatformError 404, 503 without a key, and for an agent that runs 500 while KILL_SWITCH and 402 as permitStart;
 * once it is stopped it needs no start
 */
export async function rotateToken(
  ctx: TrustedContext,
  { agentId }: { agentId: string },
): Promise<string> {
  const found = await requireOwned(ctx, { agentId })
  const decide = (current: Agent) => {
    if (current.tokenVersion !== found.tokenVersion) return { agent: current, restarts: false }
    const restarts = current.desired === 'running'
    if (restarts) requireProvisioning(ctx)
    return { agent: { ...current, tokenVersion: current.tokenVersion + 1 }, restarts }
  }
  const by = starterOf(ctx.actor)
  const rotated = await changeByPerson(ctx, { agent: found, reason: 'token', by, decide })
  return tokenOf(ctx, rotated)
}
