import { planOfTier } from '../plans/tiers.ts'
import { notFound } from '../platform/errors.ts'
import type { Agent } from './agent.ts'
import { changeAgent } from './change.ts'
import type { AgentContext } from './context.ts'
import type { AgentUpdate } from './schema.ts'

/**
 * Changes what an agent is made from; a container that runs takes it over at its next start.
 * @throws PlatformError 404 where it is deleted meanwhile
 */
export async function updateAgent(
  { table }: Pick<AgentContext, 'table'>,
  agent: Agent,
  { plan, aiProvider, config = {} }: AgentUpdate,
): Promise<Agent> {
  const newPlan = plan ?? config.plan
  const newProvider = aiProvider ?? config.aiProvider
  const stored = await changeAgent(table, agent, (current) => ({
    ...current,
    plan: newPlan === undefined ? current.plan : planOfTier(newPlan).name,
    aiProvider: newProvider ?? current.aiProvider,
    config: { ...current.config, ...config },
  }))
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  return stored
}
