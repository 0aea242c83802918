import { monthOf, nextMonth } from '#shared/ai/usage/month.ts'
import { readMonth } from '#shared/ai/usage/quota/parts.ts'
import { findPlan, plans } from '#shared/money/plans/plans.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { BillingAnswer } from './schema.ts'

/** Returns the caller's use of the month's tokens. An admin has no limit, and a user without a plan has no tokens. */
export async function monthlyUsage(
  { table, actor, owner }: Pick<UserContext, 'table' | 'actor' | 'owner'>,
  now = Date.now(),
): Promise<BillingAnswer['usage']> {
  const { plan, isAdmin } = actor.user
  const { used } = (await readMonth(table, owner, monthOf(now))).tokens
  const holds = isAdmin ? plans.network : findPlan(plan)
  const quota = holds === undefined ? 0 : holds.monthlyTokens
  return {
    used,
    quota,
    remaining: quota === null ? null : Math.max(0, quota - used),
    resetsAt: nextMonth(now).toISOString(),
  }
}
