import type { User } from '#shared/accounts/users/user.ts'
import type { Update, Write } from '#shared/platform/table/port.ts'
import { scheduleCancellation } from '../payments/schedule-cancellation.ts'

/** Reports whether an account still has a subscription at the payment provider. */
export function isBilled({ subscription, storage }: User): boolean {
  return subscription.id !== null || (storage?.subscriptionId ?? null) !== null
}

/**
 * Returns the changes that end a user's subscriptions: the changes of the user's row, and the rows that cancel the
 * subscriptions at the provider. The payer's ids are retained for bookkeeping.
 */
export function cancelBilling(user: User): {
  set: NonNullable<Update['set']>
  also: Record<'plan' | 'storage', Write | undefined>
} {
  const { id: userId, subscription, storage } = user
  return {
    set: {
      subscription: { ...subscription, id: null, status: 'canceled' },
      ...(storage !== undefined && {
        storage: { ...storage, subscriptionId: null, status: 'canceled' },
      }),
    },
    also: {
      plan: scheduleCancellation(userId, subscription.id, subscription.status),
      storage: scheduleCancellation(userId, storage?.subscriptionId, storage?.status),
    },
  }
}
