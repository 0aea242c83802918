import { findPlan, plans } from '#shared/money/plans/plans.ts'
import { limitReached, type PlatformError } from '#shared/platform/errors.ts'

/**
 * Returns the maximum number of skills of all agents of a user. Without a plan, the smallest plan's limit applies, as
 * for agents.
 */
export function skillLimit(user: { plan: string; isAdmin: boolean }): number {
  if (user.isAdmin) return plans.network.skills
  return (findPlan(user.plan) ?? plans.label).skills
}

/** Returns the error 402 SKILL_LIMIT_REACHED: contract.md 4. */
export function skillLimitReached(current: number, limit: number): PlatformError {
  return limitReached('SKILL_LIMIT_REACHED', 'Skill limit reached', {
    kind: 'payment-required',
    current,
    limit,
  })
}
