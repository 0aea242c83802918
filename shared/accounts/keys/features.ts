import { type PlanName, planNames } from '#shared/money/plans/plans.ts'
import { isPaying } from '#shared/money/plans/subscriptions.ts'

export const features = [
  'dashboard',
  'agents',
  'chat',
  'usage',
  'marketplace',
  'underground',
  'priority',
] as const

export type Feature = (typeof features)[number]

/** contract.md 3: the smallest plan with each feature; every account has the features that are not listed. */
const from: Partial<Record<Feature, PlanName>> = {
  marketplace: 'solo',
  underground: 'collective',
  priority: 'network',
}

/**
 * Returns the features of a user's key. Only a paid subscription enables paid features (contract.md 4); admins count as
 * network-level (spec.md, Plans).
 */
export function featuresOf(user: {
  plan: string
  isAdmin: boolean
  subscription: { status: string }
}): Feature[] {
  const paid = isPaying(user.subscription.status) ? user.plan : 'free'
  const level = rank(user.isAdmin ? 'network' : paid)
  return features.filter((feature) => {
    const first = from[feature]
    return first === undefined || rank(first) <= level
  })
}

/** Returns a plan's rank, the smallest first; -1 without a plan. */
function rank(plan: string): number {
  return planNames.findIndex((known) => known === plan)
}
