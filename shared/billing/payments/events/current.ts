import type { User } from '#shared/accounts/users/user.ts'
import type { SubscriptionState } from '../rows.ts'
import { statusNow } from './disputes.ts'

/**
 * The current payment does not depend on the order of events: it is the latest one. If two payments have the same
 * second, it is the one with the greater order id. A trusted caller's grant counts as paid when it was granted.
 */

interface Place {
  since?: number | undefined
  orderId?: string | undefined
}

/** Reports whether a payment replaces the current one. */
export function supersedes(paid: Required<Place>, current: Place = {}): boolean {
  const since = current.since ?? 0
  if (paid.since !== since) return Number(paid.since) > since
  return String(paid.orderId) > (current.orderId ?? '')
}

type Plan = Pick<User, 'plan' | 'subscription'>
type Storage = NonNullable<User['storage']>

/** Returns a user's plan with the provider's state of its subscription applied. */
export function currentPlan(
  { plan, subscription }: Plan,
  { seen, priced, disputes }: SubscriptionState = {},
): Plan {
  if (seen === undefined) return { plan, subscription }
  const { trialEndsAt: _, ...rest } = subscription
  const { status, customerId, trialEndsAt } = seen
  return {
    plan: priced?.plan ?? plan,
    subscription: {
      ...rest,
      status: statusNow(status, disputes),
      customerId: customerId ?? rest.customerId,
      ...(trialEndsAt !== undefined && { trialEndsAt }),
    },
  }
}

/** Returns a user's storage with the provider's state of its subscription applied. */
export function currentStorage(
  storage: Storage,
  { seen, disputes }: SubscriptionState = {},
): Storage {
  if (seen === undefined) return storage
  const { status, customerId } = seen
  return {
    ...storage,
    status: statusNow(status, disputes),
    customerId: customerId ?? storage.customerId,
  }
}
