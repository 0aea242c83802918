import { isDeepStrictEqual } from 'node:util'
import { profileKey, type User } from '../../accounts/user.ts'
import { audit, type AuditAction } from '../../identity/audit.ts'
import type { Part } from '../../platform/table/commit.ts'
import type { Write } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import type { EventContext } from '../context.ts'
import type { ProviderSubscription } from '../rows.ts'
import { asRead } from './as-read.ts'
import { planBy, storageBy } from './held.ts'

/** How an event moves one user. */
export interface Move {
  userId: string
  write: Write
  audits: Part[]
}

type Held = Partial<Pick<User, 'plan' | 'subscription' | 'storage'>>

/** How a user is moved whose record names the subscription; undefined where it names another, or nothing changes. */
export async function moveOf(
  ctx: EventContext,
  { id: userId, plan, subscription, storage }: User,
  { id, ...said }: Pick<ProviderSubscription, 'id' | 'seen' | 'priced'>,
): Promise<Move | undefined> {
  const ofPlan = subscription.id === id ? { plan, subscription } : undefined
  const ofStorage = storage?.subscriptionId === id ? { storage } : undefined
  const changes: { action: AuditAction; before: Held; after: Held }[] = []
  if (ofPlan)
    changes.push({ action: 'subscription.changed', before: ofPlan, after: planBy(ofPlan, said) })
  if (ofStorage)
    changes.push({
      action: 'storage.changed',
      before: ofStorage,
      after: { storage: storageBy(ofStorage.storage, said) },
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
  }
}
