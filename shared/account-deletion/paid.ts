import type { User } from '../accounts/user.ts'
import { unwanted } from '../payments/unwanted.ts'
import type { Update, Write } from '../platform/table/port.ts'

/** Whether an account still names something at the payment provider. */
export function isBilled({ subscription, storage }: User): boolean {
  return subscription.id !== null || (storage?.subscriptionId ?? null) !== null
}

/**
 * Ends what a user pays for: changes of their row, and the rows by which it is cancelled at the provider. Who paid stays,
 * for the books.
 */
export function endPaid(user: User): {
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
      plan: unwanted(userId, subscription.id, subscription.status),
      storage: unwanted(userId, storage?.subscriptionId, storage?.status),
    },
  }
}
