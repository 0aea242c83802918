import { isDeepStrictEqual } from 'node:util'
import { subscriptionOwnerRows } from '../../accounts/rows.ts'
import { findUser, profileKey, type User } from '../../accounts/user.ts'
import { audit, type AuditAction } from '../../identity/audit.ts'
import { numbered, type Part } from '../../platform/table/commit.ts'
import type { Table, Write } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { planOfPrice } from '../catalogue.ts'
import type { EventContext } from '../context.ts'
import { providerSubscriptionRows, type Seen } from '../rows.ts'
import type { Decision } from './apply.ts'
import { asRead } from './as-read.ts'
import type { PaymentEvent } from './event.ts'
import { findSubscription } from './find-subscription.ts'
import { planBy, storageBy } from './held.ts'
import { type Word, wordOf } from './word.ts'

/** Of events of one second the later kind is the newer. */
const ranks: Readonly<Record<string, number>> = {
  'customer.subscription.created': 0,
  'customer.subscription.updated': 1,
  'customer.subscription.deleted': 2,
}

/** As many users as can name one subscription: the provider has one payer for each, trusted callers may err. */
const mostOwners = 20

/** What an event of a subscription does: it moves the users whose records name it, unless a newer one was applied. */
export async function decideSubscription(
  ctx: EventContext,
  { id: eventId, type, created: at, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const { table, log } = ctx
  const rank = ranks[type] ?? 0
  const said = wordOf(data.object, rank === 2 ? 'canceled' : undefined)
  if (said === undefined) {
    log.warn('a subscription event was not understood', { eventId, type })
    return undefined
  }
  const { id } = said
  const row = await findSubscription(table, id)
  const seen = await newest(ctx, said, { at, rank, last: row?.seen })
  if (seen === undefined) return undefined
  const users = await ownersOf(table, id)
  const moves = await Promise.all(users.map((user) => moveOf(ctx, user, { id, seen })))
  const moved = moves.flatMap((move) => move ?? [])
  if (users.some(({ subscription }) => subscription.id === id)) warnOfPrice(ctx, { eventId, seen })
  return {
    userIds: moved.map(({ userId }) => userId),
    parts: {
      subscription: {
        update: providerSubscriptionRows.key({ id }),
        set: { id, seen },
        add: { named: 0 },
        ...asRead({ seen: row?.seen, named: row?.named }),
      },
      ...numbered(
        'user',
        moved.map(({ write }) => write),
      ),
      ...numbered(
        'audit',
        moved.flatMap(({ audits }) => audits),
      ),
    },
  }
}

/** What holds of the subscription now; undefined where a newer event was applied already, or the same. */
async function newest(
  { provider, log }: EventContext,
  { id, ...word }: Word,
  { last, ...order }: Pick<Seen, 'at' | 'rank'> & { last: Seen | undefined },
): Promise<Seen | undefined> {
  const seen = { ...word, ...order }
  const later = last === undefined ? 1 : seen.at - last.at || seen.rank - last.rank
  if (later > 0) return seen
  if (later < 0 || isDeepStrictEqual(seen, last)) return undefined
  // Two changes in one second: nothing but the provider tells which is the later.
  try {
    const now = wordOf(await provider?.findSubscription(id))
    return now === undefined ? seen : seenOf(now, order)
  } catch (error) {
    log.warn('the provider was not asked which of two events is the later', { id, error })
    return seen
  }
}

function seenOf({ id: _, ...word }: Word, order: Pick<Seen, 'at' | 'rank'>): Seen {
  return { ...word, ...order }
}

async function ownersOf(table: Table, id: string): Promise<User[]> {
  const { items } = await table.query({
    pk: subscriptionOwnerRows.pk({ id }),
    beginsWith: subscriptionOwnerRows.prefix(),
    limit: mostOwners,
    consistent: true,
  })
  const users = items.map((item) => findUser(table, subscriptionOwnerRows.parse(item).userId))
  return (await Promise.all(users)).flatMap((user) => user ?? [])
}

interface Move {
  userId: string
  write: Write
  audits: Part[]
}

type Held = Partial<Pick<User, 'plan' | 'subscription' | 'storage'>>

/** How a user is moved whose record names the subscription; undefined where it names another, or nothing changes. */
async function moveOf(
  ctx: EventContext,
  { id: userId, plan, subscription, storage }: User,
  { id, seen }: { id: string; seen: Seen },
): Promise<Move | undefined> {
  const ofPlan = subscription.id === id ? { plan, subscription } : undefined
  const ofStorage = storage?.subscriptionId === id ? { storage } : undefined
  const changes: { action: AuditAction; before: Held; after: Held }[] = []
  if (ofPlan)
    changes.push({ action: 'subscription.changed', before: ofPlan, after: planBy(ofPlan, seen) })
  if (ofStorage)
    changes.push({
      action: 'storage.changed',
      before: ofStorage,
      after: { storage: storageBy(ofStorage.storage, seen) },
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

/** A price that is none of the plans' changes nothing, and somebody should know of it. */
function warnOfPrice(
  { log }: EventContext,
  { eventId, seen }: { eventId: string; seen: Seen },
): void {
  if (seen.pence === undefined || planOfPrice(seen.pence) !== undefined) return
  log.warn(
    'a plan’s subscription has a price that no plan has',
    { eventId, pence: seen.pence },
    { by: [['function']], of: { UnknownPrices: [1, 'Count'] } },
  )
}
