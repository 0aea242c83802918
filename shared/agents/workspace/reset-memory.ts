import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Agent } from '../record/agent.ts'
import type { AgentContext, AgentSetting } from '../record/context.ts'
import { requireProvisioning } from '../record/guard.ts'
import { resetMemory } from './memory/reset.ts'

/**
 * Deletes an agent's notes and conversations for a user.
 * @returns the message for the user
 * @throws PlatformError 500 while KILL_SWITCH is on, 404 if the agent is deleted in the meantime
 */
export async function clearMemory(
  ctx: Reads<AgentSetting> & Pick<AgentContext<'checks'>, 'table' | 'queues'>,
  { agent }: { agent: Agent },
): Promise<string> {
  requireProvisioning(ctx)
  await resetMemory(ctx, { agent })
  return 'The agent has forgotten its notes and its conversations'
}
