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

/** Files of an owner may be as large as this multiple of the storage, or this many bytes after the plan has ended. */
const mostTimesQuota = 1.2
const leastBytes = 20 * 1024 ** 3

/**
 * Returns the most bytes that are written for one agent's files outside its packs, such as by an export. A container can
 * claim files that consist of the same pack many times and are far larger than what is stored.
 */
export function plausibleBytes(quota: number): number {
  return Math.max(leastBytes, quota * mostTimesQuota)
}

function planGb(user: User, adminEmails: string[]): number {
  if (isAdmin(user, adminEmails)) return plans.network.storageGb
  return isPaying(user.subscription.status) ? (findPlan(user.plan)?.storageGb ?? 0) : 0
}
