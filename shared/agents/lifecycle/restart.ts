import type { Agent } from '../agent.ts'
import type { AgentServices } from '../context.ts'
import { byPerson } from './by-person.ts'
import { startGeneration } from './generation.ts'
import { requireProvisioning } from './guard.ts'

/**
 * Starts an agent anew because a person wants it, whatever it does: its task ends, and then another begins.
 * @throws PlatformError 500 while KILL_SWITCH
 */
export async function restartAgent(
  ctx: AgentServices,
  agent: Agent,
  reason: 'restart' | 'repair',
): Promise<Agent> {
  requireProvisioning(ctx)
  return startGeneration(ctx, agent, reason, byPerson(ctx, 'started-by-person'))
}
