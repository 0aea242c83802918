import { isAdmin, type User } from '#shared/accounts/users/user.ts'
import { findPlan, plans } from '#shared/money/plans/plans.ts'
import { isPaying } from '#shared/money/plans/subscriptions.ts'

const gigabyte = 1024 ** 3

/**
 * Returns the storage of a user's plan and of the storage upgrade in bytes: contract.md 16. An administrator has the
 * storage of the largest plan.
 */
export function quotaOf(user: User, adminEmails: string[]): number {
  const { storage } = user
  const upgrade = storage !== undefined && isPaying(storage.status) ? storage.gb : 0
  return (planGb(user, adminEmails) + upgrade) * gigabyte
}

function planGb(user: User, adminEmails: string[]): number {
  if (isAdmin(user, adminEmails)) return plans.network.storageGb
  return isPaying(user.subscription.status) ? (findPlan(user.plan)?.storageGb ?? 0) : 0
}
