import type { UserIdentity } from '../../http/actor.ts'
import { planNames } from '../../plans/plans.ts'
import { planOfTier } from '../../plans/tiers.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import type { AgentServices } from '../context.ts'
import { requireAgent } from '../find.ts'
import { changeConfig } from './change.ts'
import type { ConfigChange } from './schema.ts'

/**
 * Changes the config of one of a user's agents.
 * @throws PlatformError 402 PLAN_REQUIRED for a container larger than the user's plan pays for, and as changeConfig
 */
export async function changeUsersConfig(
  ctx: AgentServices,
  user: UserIdentity,
  agentId: string,
  change: ConfigChange,
  apply: boolean,
): Promise<Agent> {
  const agent = await requireAgent(ctx.table, agentId, user.id)
  requirePlan(user, change.plan)
  return changeConfig(ctx, agent, change, apply)
}

/** @throws PlatformError 402 PLAN_REQUIRED */
export function requirePlan(
  user: Pick<UserIdentity, 'plan' | 'isAdmin'>,
  wanted: string | null | undefined,
): void {
  if (user.isAdmin || typeof wanted !== 'string') return
  const plan = planOfTier(wanted).name
  if (rank(plan) <= rank(planOfTier(user.plan).name)) return
  throw new PlatformError('payment-required', `Your plan does not include ${plan} agents`, {
    code: 'PLAN_REQUIRED',
  })
}

function rank(plan: (typeof planNames)[number]): number {
  return planNames.indexOf(plan)
}
