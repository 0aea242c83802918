import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting, ChangeAuthor } from '#shared/agents/record/context.ts'
import { requireProvisioning } from '#shared/agents/record/guard.ts'
import { permitStart, type Starter } from '#shared/agents/record/permit.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { byPerson } from './by-person.ts'
import { startGeneration } from './generation.ts'

/**
 * Restarts an agent for a person, in any state: its task ends, then another one starts.
 * @throws PlatformError 500 while KILL_SWITCH is on, 402 and 409 for the same reasons as `permitStart`
 */
export async function restartAgent(
  ctx: AgentContext & Reads<AgentSetting> & ChangeAuthor,
  { agent, reason, by = 'owner' }: { agent: Agent; reason: 'restart' | 'repair'; by?: Starter },
): Promise<Agent> {
  requireProvisioning(ctx)
  const permit = await permitStart(ctx, agent, by)
  return startGeneration(ctx, {
    agent,
    reason,
    permit,
    change: byPerson('started'),
  })
}
