import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { beginAgent, idOfBeginning } from '../restore-points/begin.ts'
import { collect } from '../restore-points/collect.ts'
import type { RestoreWorkContext } from '../restore-points/work/context.ts'
import { portable } from './portable.ts'

/**
 * Duplicates one of the caller's agents: its config without secrets, its memory, and its skills within the plan's
 * limit. Conversations and schedules are not copied; schedules would run twice.
 * @throws PlatformError 404, and as beginAgent
 */
export async function duplicateAgent(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'seed'> & RestoreWorkContext<'provisioning'>,
  { agentId, name }: { agentId: string; name: string },
): Promise<Agent> {
  const { table, owner } = ctx
  const original = await requireAgent({ table }, { agentId, owner })
  const content = portable(await collect(table, original))
  return beginAgent(ctx, {
    ...content,
    agent: { ...content.agent, id: idOfBeginning(ctx), name, running: true, resetAt: undefined },
    tasks: [],
    messages: [],
    cut: false,
  })
}
