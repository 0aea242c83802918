import type { Agent } from '../agents/agent.ts'
import { requireAgent } from '../agents/find.ts'
import { beginAgent, type NewAgentContext, idOfBeginning } from '../restore-points/begin.ts'
import { collect } from '../restore-points/collect.ts'
import { portable } from './portable.ts'

/**
 * Makes an agent like one of the caller's: its config without secrets, its memory, and its skills as far as the plan has
 * room. Conversations stay with the original, and so do schedules, each of which would otherwise run twice.
 * @throws PlatformError 404, and as beginAgent
 */
export async function duplicateAgent(
  ctx: NewAgentContext,
  { agentId, name }: { agentId: string; name: string },
): Promise<Agent> {
  const { table, actor } = ctx
  const original = await requireAgent({ table }, { agentId, owner: actor.user.id })
  const content = portable(await collect(table, original))
  return beginAgent(ctx, {
    ...content,
    agent: { ...content.agent, id: idOfBeginning(ctx), name, running: true, resetAt: undefined },
    tasks: [],
    messages: [],
    cut: false,
  })
}
