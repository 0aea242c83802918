import type { spendAlertRows } from '../accounts/rows.ts'
import { isAdmin, type User } from '../accounts/user.ts'
import { findPlan, plans } from '../plans/plans.ts'
import type { QuotaRow } from '../usage/quota/row.ts'

/** A part of a limit that is used up. */
export type Alert = NonNullable<ReturnType<typeof spendAlertRows.parse>['unsent']>[number]

interface Spent {
  user: User
  percents: readonly number[]
  quota: QuotaRow
  /** As `monthOf` writes it. */
  month: string
  adminEmails: string[]
}

/** What a user is to be told of a month: of the spend cap in USD, of the quota in tokens. */
export function alertsFor({ user, percents, quota, month, adminEmails }: Spent): Alert[] {
  const { spendCapUsd = 0, plan } = user
  const holds = isAdmin(user, adminEmails) ? plans.network : findPlan(plan)
  const limits = [
    { type: 'spend.threshold', used: quota.microUsd.used, limit: Math.round(spendCapUsd * 1e6) },
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
