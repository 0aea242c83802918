import type { User } from '../../accounts/user.ts'
import type { ProviderSubscription } from '../rows.ts'
import { statusNow } from './disputes.ts'

/**
 * Which of several payments holds does not depend on the order of their events: it is the one that was paid last, of one second the one
 * whose order's id is the greater. What a trusted caller gave counts as paid when it was given.
 */

interface Place {
  since?: number | undefined
  orderId?: string | undefined
}

/** Whether a payment takes the place of what holds. */
export function takesOver(paid: Required<Place>, held: Place = {}): boolean {
  const since = held.since ?? 0
  if (paid.since !== since) return Number(paid.since) > since
  return String(paid.orderId) > (held.orderId ?? '')
}

type Plan = Pick<User, 'plan' | 'subscription'>
type Storage = NonNullable<User['storage']>

/** What the provider says of the subscription of what a user holds; nothing before its first event. */
type Said = Pick<ProviderSubscription, 'seen' | 'priced' | 'disputes'>

/** What a user's plan is by what the provider says of its subscription. */
export function planBy({ plan, subscription }: Plan, { seen, priced, disputes }: Said = {}): Plan {
  if (seen === undefined) return { plan, subscription }
  const { trialEndsAt: _, ...kept } = subscription
  const { status, customerId, trialEndsAt } = seen
  return {
    plan: priced?.plan ?? plan,
    subscription: {
      ...kept,
      status: statusNow(status, disputes),
      customerId: customerId ?? kept.customerId,
      ...(trialEndsAt !== undefined && { trialEndsAt }),
    },
  }
}

/** What a user's storage is by what the provider says of its subscription. */
export function storageBy(storage: Storage, { seen, disputes }: Said = {}): Storage {
  if (seen === undefined) return storage
  const { status, customerId } = seen
  return {
    ...storage,
    status: statusNow(status, disputes),
    customerId: customerId ?? storage.customerId,
  }
}
