import { isAdmin, type User } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { findPlan, plans } from '#shared/money/plans/plans.ts'
import { isPaying, subscriptionRequired } from '#shared/money/plans/subscriptions.ts'
import { dayOf } from '#shared/platform/days.ts'
import { limitReached, type PlatformError } from '#shared/platform/errors.ts'
import type { Item, Write } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { countRows } from './rows.ts'

/** The retention of a day's count, which is not needed after the day has ended in every time zone. */
const retentionSeconds = 3 * 86_400

/** The maximum number of messages that a user's agents may send per day in total. */
export interface Allowance {
  userId: string
  perDay: number
}

/**
 * Returns the allowance in the plan of the sender's owner: spec.md, Plans. Agents of the platform have no limit.
 * @throws PlatformError 402 SUBSCRIPTION_REQUIRED
 */
export function allowanceOf(
  { userId }: Agent,
  owner: User | undefined,
  adminEmails: string[],
): Allowance | undefined {
  if (userId === null) return undefined
  if (owner === undefined) throw subscriptionRequired()
  if (isAdmin(owner, adminEmails)) return { userId, perDay: plans.network.dailyMessages }
  const plan = findPlan(owner.plan)
  if (plan === undefined || !isPaying(owner.subscription.status)) throw subscriptionRequired()
  return { userId, perDay: plan.dailyMessages }
}

/**
 * Returns the write that counts a message of the day, on condition that the plan allows it.
 * @param now epoch milliseconds
 */
export function countMessage({ userId, perDay }: Allowance, now: number): Write {
  const date = dayOf(now)
  return {
    update: countRows.key({ userId, date }),
    add: { count: 1 },
    set: { expiresAt: epochSeconds(now) + retentionSeconds },
    if: 'attribute_not_exists(#count) OR #count < :perDay',
    values: { perDay },
  }
}

/**
 * Returns 429 A2A_LIMIT_REACHED: contract.md 4.
 * @param row the day's current count
 */
export function messageLimitReached({ perDay }: Allowance, row: Item | undefined): PlatformError {
  return limitReached('A2A_LIMIT_REACHED', 'The plan has no more messages for today', {
    kind: 'too-many-requests',
    current: row === undefined ? perDay : countRows.parse(row).count,
    limit: perDay,
  })
}
