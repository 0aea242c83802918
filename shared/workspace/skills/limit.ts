import { findPlan, plans } from '../../plans/plans.ts'
import { PlatformError } from '../../platform/errors.ts'

/** How many skills a user may have installed, over all agents. Without a plan, what the smallest one allows, as with agents. */
export function skillLimit(user: { plan: string; isAdmin: boolean }): number {
  if (user.isAdmin) return plans.network.skills
  return (findPlan(user.plan) ?? plans.label).skills
}

/** contract.md 4. */
export function skillLimitReached(current: number, limit: number): PlatformError {
  return new PlatformError('payment-required', 'Skill limit reached', {
    code: 'SKILL_LIMIT_REACHED',
    details: { current, limit },
  })
}
