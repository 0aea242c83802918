import type { spendAlertRows } from '#shared/accounts/users/rows.ts'
import { isAdmin, type User } from '#shared/accounts/users/user.ts'
import { findPlan, plans } from '#shared/money/plans/plans.ts'
import { monthlyCap, type PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { toMicroUsd } from '../usage/quota/micro-usd.ts'
import type { QuotaRow } from '../usage/quota/row.ts'

/** A reached threshold of a limit. */
export type Alert = NonNullable<ReturnType<typeof spendAlertRows.parse>['unsent']>[number]

interface Spent {
  user: User
  percents: readonly number[]
  quota: QuotaRow
  /** In the format of `monthOf`. */
  month: string
  adminEmails: string[]
  planCaps: PlanCaps
}

/** Returns a user's reached thresholds in a month: of the spend cap in USD, and of the quota in tokens. */
export function alertsFor({ user, percents, quota, month, adminEmails, planCaps }: Spent): Alert[] {
  const { spendCapUsd, plan } = user
  const admin = isAdmin(user, adminEmails)
  const holds = admin ? plans.network : findPlan(plan)
  const cap = monthlyCap(spendCapUsd, admin ? undefined : planCaps[plan])
  const limits = [
    {
      type: 'spend.threshold',
      used: quota.microUsd.used,
      limit: cap === null ? 0 : toMicroUsd(cap),
    },
    { type: 'quota.threshold', used: quota.tokens.used, limit: holds?.monthlyTokens ?? 0 },
  ] as const
  return limits.flatMap(({ type, used, limit }) => {
    const reached = percents.filter((percent) => limit > 0 && used * 100 >= limit * percent)
    const unit = type === 'spend.threshold' ? 1e6 : 1
    return reached.map((percent) => ({
      id: `${month}#${type}#${percent}`,
      type,
      data: { percent, month, used: used / unit, limit: limit / unit },
    }))
  })
}
