import { isDeepStrictEqual } from 'node:util'
import { profileKey, type User } from '../../accounts/user.ts'
import { audit, type AuditAction } from '../../identity/audit.ts'
import { webhookParts } from '../../outbound-webhooks/emit.ts'
import type { Part } from '../../platform/table/commit.ts'
import type { Write } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { subscriptionEvents } from '../changed.ts'
import type { EventContext } from '../context.ts'
import type { ProviderSubscription } from '../rows.ts'
import { asRead } from './as-read.ts'
import { planBy, storageBy } from './held.ts'

/** How an event moves one user. */
export interface Move {
  userId: string
  write: Write
  audits: Part[]
  /** What the user's webhook endpoints are told of it. */
  webhooks: Part[]
}

type Held = Partial<Pick<User, 'plan' | 'subscription' | 'storage'>>

/**
 * How a user is moved whose record names the subscription; undefined where it names another, or nothing changes.
 * @param orderId the order that the subscription was made for, where what the user has by it names none yet
 */
export async function moveOf(
  ctx: EventContext,
  { id: userId, plan, subscription, storage }: User,
  { id, ...said }: Pick<ProviderSubscription, 'id' | 'seen' | 'priced' | 'disputes'>,
  orderId?: string,
): Promise<Move | undefined> {
  const isBy = (named: string | null | undefined, by: string | undefined) =>
    named === id || (named === null && orderId !== undefined && by === orderId)
  const ofPlan = isBy(subscription.id, subscription.orderId) ? { plan, subscription } : undefined
  const ofStorage =
    storage && isBy(storage.subscriptionId, storage.orderId) ? { storage } : undefined
  const changes: { action: AuditAction; before: Held; after: Held }[] = []
  if (ofPlan)
    changes.push({
      action: 'subscription.changed',
      before: ofPlan,
      after: planBy({ plan, subscription: { ...subscription, id } }, said),
    })
  if (ofStorage)
    changes.push({
      action: 'storage.changed',
      before: ofStorage,
      after: { storage: storageBy({ ...ofStorage.storage, subscriptionId: id }, said) },
    })
  const real = changes.filter(({ before, after }) => !isDeepStrictEqual(before, after))
  if (real.length === 0) return undefined
  const before: Held = Object.assign({}, ...real.map((change) => change.before))
  const after: Held = Object.assign({}, ...real.map((change) => change.after))
  return {
    userId,
    write: userStore(ctx.table, userId).write.update(profileKey, { set: after, ...asRead(before) }),
    audits: await Promise.all(
      real.map((change) => audit(ctx, change.action, { userId, target: id, ...change })),
    ),
    webhooks: Object.values(await webhookParts(ctx, userId, subscriptionEvents(after))),
  }
}
