import type { Agent } from '../agents/agent.ts'
import type { AgentServices } from '../agents/context.ts'
import { resetMemory } from './memory/reset.ts'
import { requireProvisioning } from '../agents/guard.ts'

/**
 * Makes an agent forget its notes and its conversations because a person wants it.
 * @returns what to tell them
 * @throws PlatformError 500 while KILL_SWITCH, 404 where it is deleted meanwhile
 */
export async function clearMemory(
  ctx: Pick<AgentServices<'checks'>, 'table' | 'queues' | 'config'>,
  { agent }: { agent: Agent },
): Promise<string> {
  requireProvisioning(ctx)
  await resetMemory(ctx, { agent })
  return 'The agent has forgotten its notes and its conversations'
}
