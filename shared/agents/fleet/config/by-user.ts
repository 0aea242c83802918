import type { Agent } from '#shared/agents/record/agent.ts'
import type { ConfigChange } from '#shared/agents/record/config/schema.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { starterOf } from '#shared/agents/record/permit.ts'
import { type Payer, planOfTier, planWithin } from '#shared/money/plans/tiers.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { mayMoveMoney } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeConfig } from './change.ts'

/**
 * Changes the config of a user's agent.
 * @throws PlatformError 402 PLAN_REQUIRED for a larger container than the user's plan includes, 403 SCOPE_REQUIRED if a
 * key without the scope `money` raises the spend cap, and as changeConfig
 */
export async function changeUsersConfig(
  ctx: Pick<UserContext, 'actor' | 'owner'> & AgentContext & Reads<AgentSetting>,
  { agentId, change, apply }: { agentId: string; change: ConfigChange; apply: boolean },
): Promise<Agent> {
  const { user } = ctx.actor
  const agent = await requireAgent(ctx, { agentId, owner: ctx.owner })
  requirePlan(user, change.plan)
  const mayRaiseCap = mayMoveMoney(user)
  return changeConfig(ctx, { agent, change, apply, by: starterOf(ctx.actor), mayRaiseCap })
}

/** @throws PlatformError 402 PLAN_REQUIRED */
export function requirePlan(user: Payer, wanted: string | null | undefined): void {
  if (typeof wanted !== 'string') return
  const plan = planOfTier(wanted)
  if (planWithin(user, wanted) === plan) return
  throw new PlatformError('payment-required', `Your plan does not include ${plan.name} agents`, {
    code: 'PLAN_REQUIRED',
  })
}
