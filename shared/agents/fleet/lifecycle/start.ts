import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, ChangeAuthor } from '#shared/agents/record/context.ts'
import { requireProvisioning } from '#shared/agents/record/guard.ts'
import { permitStart, type Starter } from '#shared/agents/record/permit.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { sendStart } from '../requests/send.ts'
import { byPerson } from './by-person.ts'
import { type StartReason, startGeneration } from './generation.ts'

/**
 * Starts an agent for a person. A running or starting agent is left unchanged.
 * @throws PlatformError 500 while KILL_SWITCH is on, 402 and 409 as permitStart
 */
export async function startAgent(
  ctx: AgentContext & Reads<'ADMIN_EMAILS' | 'KILL_SWITCH' | 'deployed'> & ChangeAuthor,
  { agent, by = 'owner', reason = 'start' }: { agent: Agent; by?: Starter; reason?: StartReason },
): Promise<Agent> {
  requireProvisioning(ctx)
  const permit = await permitStart(ctx, agent, by)
  const started = agent.status === 'running' || agent.status === 'provisioning'
  if (!started)
    return startGeneration(ctx, {
      agent,
      reason,
      permit,
      change: byPerson('started'),
    })
  if (agent.status === 'provisioning') await sendStart(ctx.queues, agent)
  return agent
}
