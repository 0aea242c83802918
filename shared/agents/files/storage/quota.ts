import type { User } from '#shared/accounts/users/user.ts'
import { findPlan } from '#shared/money/plans/plans.ts'
import { isPaying } from '#shared/money/plans/subscriptions.ts'

const gigabyte = 1024 ** 3

/** Returns the storage of a user's plan and of the storage upgrade in bytes: contract.md 16. */
export function quotaOf({ plan, subscription, storage }: User): number {
  const ofPlan = isPaying(subscription.status) ? (findPlan(plan)?.storageGb ?? 0) : 0
  const upgrade = storage !== undefined && isPaying(storage.status) ? storage.gb : 0
  return (ofPlan + upgrade) * gigabyte
}
