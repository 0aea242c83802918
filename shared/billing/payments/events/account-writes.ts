import { isDeepStrictEqual } from 'node:util'
import { profileKey, type User } from '#shared/accounts/users/user.ts'
import { audit, type AuditAction } from '#shared/platform/identity/audit.ts'
import type { Part } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import type { EventContext } from '../context.ts'
import type { ProviderSubscription } from '../rows.ts'
import { subscriptionEvents } from '../subscription-events.ts'
import { currentPlan, currentStorage } from './current.ts'

/**
 * The maximum number of users that fit in one transaction. At the provider a subscription has one payer; a trusted
 * caller may assign it to several users by mistake.
 */
export const maxUsers = 20

/** The writes that apply an event to one user. */
export interface AccountWrites {
  userId: string
  write: Write
  audits: Part[]
  /** The events for the user's webhook endpoints. */
  webhooks: Part[]
}

type Attributes = Partial<Pick<User, 'plan' | 'subscription' | 'storage'>>

/**
 * Returns the changes of a user with this subscription, or undefined if the user has another subscription or nothing
 * changes.
 * @param orderId the order of the subscription, to find the user if their row has no subscription id yet
 */
export async function accountWrites(
  ctx: EventContext,
  { id: userId, plan, subscription, storage }: User,
  { id, ...state }: Pick<ProviderSubscription, 'id' | 'seen' | 'priced' | 'disputes'>,
  orderId?: string,
): Promise<AccountWrites | undefined> {
  const isFor = (recordId: string | null | undefined, recordOrderId: string | undefined) =>
    recordId === id || (recordId === null && orderId !== undefined && recordOrderId === orderId)
  const ofPlan = isFor(subscription.id, subscription.orderId) ? { plan, subscription } : undefined
  const ofStorage =
    storage && isFor(storage.subscriptionId, storage.orderId) ? { storage } : undefined
  const changes: { action: AuditAction; before: Attributes; after: Attributes }[] = []
  if (ofPlan)
    changes.push({
      action: 'subscription.changed',
      before: ofPlan,
      after: currentPlan({ plan, subscription: { ...subscription, id } }, state),
    })
  if (ofStorage)
    changes.push({
      action: 'storage.changed',
      before: ofStorage,
      after: { storage: currentStorage({ ...ofStorage.storage, subscriptionId: id }, state) },
    })
  const real = changes.filter(({ before, after }) => !isDeepStrictEqual(before, after))
  if (real.length === 0) return undefined
  const before: Attributes = Object.assign({}, ...real.map((change) => change.before))
  const after: Attributes = Object.assign({}, ...real.map((change) => change.after))
  return {
    userId,
    write: userStore(ctx.table, userId).write.update(profileKey, {
      set: after,
      ...ifUnchanged(before),
    }),
    audits: await Promise.all(
      real.map((change) => audit(ctx, change.action, { userId, target: id, ...change })),
    ),
    webhooks: Object.values(await webhookParts(ctx, userId, subscriptionEvents(after))),
  }
}
