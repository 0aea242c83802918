import type { Agent } from '../agent.ts'
import type { AgentServices } from '../context.ts'
import { sendStart } from '../provisioning/messages.ts'
import { byPerson } from './by-person.ts'
import { type StartReason, startGeneration } from './generation.ts'
import { requireProvisioning } from './guard.ts'

/**
 * Starts an agent because a person wants it; one that runs or is on its way is left alone.
 * @throws PlatformError 500 while KILL_SWITCH
 */
export async function startAgent(
  ctx: AgentServices,
  agent: Agent,
  reason: StartReason = 'start',
): Promise<Agent> {
  requireProvisioning(ctx)
  const started = agent.status === 'running' || agent.status === 'provisioning'
  if (!started) return startGeneration(ctx, agent, reason, byPerson(ctx, 'started-by-person'))
  if (agent.status === 'provisioning') await sendStart(ctx.queues, agent)
  return agent
}
