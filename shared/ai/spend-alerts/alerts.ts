import type { spendAlertRows } from '#shared/accounts/users/rows.ts'
import { isAdmin, type User } from '#shared/accounts/users/user.ts'
import { findPlan, plans } from '#shared/money/plans/plans.ts'
import { monthlyCap, type PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { toMicroUsd } from '../usage/quota/micro-usd.ts'
import type { QuotaRow } from '../usage/quota/row.ts'
import type { CappedSpending } from '../usage/quota/spending.ts'

/** A reached threshold of a limit. */
export type Alert = NonNullable<ReturnType<typeof spendAlertRows.parse>['unsent']>[number]

interface Spent {
  user: User
  percents: readonly number[]
  quota: QuotaRow
  /** In the format of `monthOf`. */
  month: string
  /** Under the daily caps of the user. */
  today: { day: string; spending: readonly CappedSpending[] }
  adminEmails: string[]
  planCaps: PlanCaps
}

/**
 * Returns a user's reached thresholds: of the monthly and the daily spend cap in USD, and of the month's quota in
 * tokens.
 */
export function alertsFor({
  user,
  percents,
  quota,
  month,
  today: { day, spending },
  adminEmails,
  planCaps,
}: Spent): Alert[] {
  const { spendCapUsd, plan } = user
  const admin = isAdmin(user, adminEmails)
  const holds = admin ? plans.network : findPlan(plan)
  const cap = monthlyCap(spendCapUsd, admin ? undefined : planCaps[plan])
  const limits = [
    {
      type: 'spend.threshold',
      period: { month },
      used: quota.microUsd.used,
      limit: cap === null ? 0 : toMicroUsd(cap),
    },
    ...spending.map(({ used, cap: limit }) => ({
      type: 'spend.threshold' as const,
      period: { month, day },
      used,
      limit,
    })),
    {
      type: 'quota.threshold',
      period: { month },
      used: quota.tokens.used,
      limit: holds?.monthlyTokens ?? 0,
    },
  ] as const
  return limits.flatMap(({ type, period, used, limit }) => {
    const reached = percents.filter((percent) => limit > 0 && used * 100 >= limit * percent)
    const unit = type === 'spend.threshold' ? 1e6 : 1
    const of = Object.values(period).join('#')
    return reached.map((percent) => ({
      id: `${of}#${type}#${percent}`,
      type,
      data: { percent, ...period, used: used / unit, limit: limit / unit },
    }))
  })
}

/** Reports whether an alert belongs to this month, and if it is about a daily cap, to this day. */
export function isCurrent(id: string, { month, day }: { month: string; day: string }): boolean {
  const [ofMonth, ofDay = ''] = id.split('#')
  return ofMonth === month && (!ofDay.startsWith(`${month}-`) || ofDay === day)
}
