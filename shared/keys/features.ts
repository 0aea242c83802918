import { type PlanName, planNames } from '../plans/plans.ts'
import { isPaying } from '../plans/subscriptions.ts'

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

/** contract.md 3: the first plan that has each feature; the others come with every account. */
const from: Partial<Record<Feature, PlanName>> = {
  marketplace: 'solo',
  underground: 'collective',
  priority: 'network',
}

/**
 * What a user's key opens. Only a subscription that pays opens what is paid for (contract.md 4); admins are treated
 * as network-level (spec.md, Plans).
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

/** Plans from the smallest to the largest; -1 for none. */
function rank(plan: string): number {
  return planNames.findIndex((known) => known === plan)
}
