import type { UserIdentity } from '../http/actor.ts'
import { findPlan, plans } from '../plans/plans.ts'
import type { Table } from '../platform/table/port.ts'
import { monthOf, nextMonth } from '../usage/month.ts'
import { quotaKey, toQuota } from '../usage/quota/row.ts'
import type { BillingAnswer } from './schema.ts'

/** What a user has of the month's tokens: an admin as much as they like, who holds no plan nothing. */
export async function monthlyUsage(
  table: Table,
  { id, plan, isAdmin }: UserIdentity,
  now = Date.now(),
): Promise<BillingAnswer['usage']> {
  const { used } = toQuota(await table.get(quotaKey(id, monthOf(now)))).tokens
  const holds = isAdmin ? plans.network : findPlan(plan)
  const quota = holds === undefined ? 0 : holds.monthlyTokens
  return {
    used,
    quota,
    remaining: quota === null ? null : Math.max(0, quota - used),
    resetsAt: nextMonth(now).toISOString(),
  }
}
