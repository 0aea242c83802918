import { planOfTier } from '#shared/money/plans/tiers.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Agent } from '../record/agent.ts'
import { changeAgent } from '../record/change.ts'
import { mergeConfig } from '../record/config/merge.ts'
import { sealChange } from '../record/config/seal.ts'
import { requireReachable } from '../record/config/webhook.ts'
import type { AgentContext, AgentSetting } from '../record/context.ts'
import type { AgentUpdate } from '../record/schema.ts'

/**
 * Updates an agent. A running container uses the changes from its next start. `plan` and `aiProvider` take precedence
 * over the config's values.
 * @throws PlatformError 400, 404 if it is deleted in the meantime, 503 without a key to encrypt secrets
 */
export async function updateAgent(
  ctx: AgentContext & Reads<AgentSetting>,
  { agent, change: { plan, aiProvider, config = {} } }: { agent: Agent; change: AgentUpdate },
): Promise<Agent> {
  requireReachable(ctx, config)
  const sealed = await sealChange(ctx, agent, config)
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => {
      if (current.deleting) return current
      const next = mergeConfig(current, sealed)
      const own = {
        plan: plan === undefined ? next.plan : planOfTier(plan).name,
        aiProvider: aiProvider ?? next.aiProvider,
      }
      const changed = own.plan !== next.plan || own.aiProvider !== next.aiProvider
      return changed ? { ...next, ...own } : next
    },
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  return stored
}
