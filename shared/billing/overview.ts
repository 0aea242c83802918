import { findUser } from '../accounts/user.ts'
import type { UserIdentity } from '../http/actor.ts'
import { plans } from '../plans/plans.ts'
import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { hasOwnKeys } from './own-keys.ts'
import type { BillingAnswer } from './schema.ts'
import { monthlyUsage } from './usage.ts'

/** The plans on offer, and what a user has. @throws PlatformError 404 for a user who was deleted meanwhile */
export async function billingOverview(table: Table, caller: UserIdentity): Promise<BillingAnswer> {
  const [user, usage] = await Promise.all([findUser(table, caller.id), monthlyUsage(table, caller)])
  if (user === undefined) throw notFound('User')
  return {
    plans: offer(),
    currentPlan: user.plan,
    subscriptionStatus: user.subscription.status,
    trial: null,
    byokEnabled: hasOwnKeys(user),
    usage,
  }
}

function offer(): BillingAnswer['plans'] {
  return Object.values(plans).map(
    ({ name, priceGbp, agents, skills, dailyMessages, monthlyTokens, models, container }) => ({
      name,
      price: priceGbp,
      currency: 'GBP' as const,
      limits: { agents, skills, dailyMessages, monthlyTokens },
      models: models && [...models],
      container,
    }),
  )
}
