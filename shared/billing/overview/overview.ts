import { findUser, type User } from '#shared/accounts/users/user.ts'
import { isAwake } from '#shared/agents/record/awake.ts'
import { listAgents } from '#shared/agents/record/list.ts'
import { toNumber } from '#shared/money/amounts/amount.ts'
import { modelsOf, type ModelSets } from '#shared/money/plans/model-sets.ts'
import { plans } from '#shared/money/plans/plans.ts'
import { isPaying } from '#shared/money/plans/subscriptions.ts'
import { awakeLimit } from '#shared/money/plans/tiers.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { BillingContext } from './context.ts'
import { hasOwnKeys } from './own-keys.ts'
import type { BillingAnswer } from './schema.ts'
import { monthlyUsage } from './usage.ts'

/**
 * Returns the offered plans and the caller's current state.
 * @throws PlatformError 404 if the user is deleted
 */
export async function billingOverview(
  ctx: Pick<BillingContext, 'table' | 'actor' | 'owner' | 'deployed' | 'modelSets'>,
): Promise<BillingAnswer> {
  const { table, actor, owner } = ctx
  const [user, usage, agents] = await Promise.all([
    findUser(table, owner),
    monthlyUsage(ctx),
    listAgents({ table }, { userId: owner }),
  ])
  if (user === undefined) throw notFound('User')
  return {
    plans: offer(ctx.modelSets),
    currentPlan: user.plan,
    subscriptionStatus: user.subscription.status,
    trial: trialOf(user),
    storageGb: user.storage && isPaying(user.storage.status) ? user.storage.gb : 0,
    byokEnabled: hasOwnKeys(user),
    usage,
    awakeAgents: {
      current: agents.filter(isAwake).length,
      limit: awakeLimit({ plan: user.plan, isAdmin: actor.user.isAdmin }, ctx) ?? null,
    },
  }
}

function trialOf({ subscription: { status, trialEndsAt } }: User): BillingAnswer['trial'] {
  return status === 'trialing' && trialEndsAt !== undefined ? { endsAt: trialEndsAt } : null
}

function offer(sets: ModelSets): BillingAnswer['plans'] {
  return Object.values(plans).map((plan) => {
    const {
      name,
      price,
      agents,
      awake,
      skills,
      dailyMessages,
      storageGb,
      monthlyTokens,
      container,
    } = plan
    const models = modelsOf(sets, plan)
    return {
      name,
      price: toNumber(price),
      currency: 'GBP' as const,
      limits: { agents, awakeAgents: awake, skills, dailyMessages, storageGb, monthlyTokens },
      models: models && [...models],
      container,
    }
  })
}
