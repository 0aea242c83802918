import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireProvisioning } from '#shared/agents/record/guard.ts'
import { starterOf } from '#shared/agents/record/permit.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeByPerson } from '../lifecycle/change-by-person.ts'
import { requireOwned, tokenOf } from './get.ts'

/**
 * Replaces the token of an agent's gateway. The platform rejects the old token immediately. A running container is
 * replaced, because it would still accept the old token. Two concurrent calls return the same new token.
 * @returns the new token
 * @throws PlatformError 404, 503 without a key, and for a running agent 500 while KILL_SWITCH is on and 402 as permitStart; a
 * stopped agent needs no start
 */
export async function rotateToken(
  ctx: Pick<Context<InternalActor>, 'actor' | 'owner' | 'requestId'> &
    AgentContext &
    Reads<AgentSetting>,
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
