import { numbered } from '#shared/platform/table/commit.ts'
import { planOfPrice } from '../catalogue.ts'
import type { EventContext } from '../context.ts'
import { ownersOf } from '../owners.ts'
import {
  type ProviderSubscription,
  providerSubscriptionRows,
  type SubscriptionState,
} from '../rows.ts'
import { accountWrites, maxUsers } from './account-writes.ts'
import type { Decision } from './apply.ts'
import type { PaymentEvent } from './event.ts'
import { logFailedPayment } from './failed-payment.ts'
import { findSubscription, ifSubscriptionUnchanged } from './find-subscription.ts'
import { linkSubscription } from './link-subscription.ts'
import { mergeSnapshot, ranks } from './merge-snapshot.ts'
import { type SubscriptionSnapshot, parseSnapshot } from './subscription-snapshot.ts'

const kinds: Readonly<Record<string, 'created' | 'updated' | 'deleted'>> = {
  'customer.subscription.created': 'created',
  'customer.subscription.updated': 'updated',
  'customer.subscription.deleted': 'deleted',
}

/**
 * Decides the effect of a subscription event: changes the users with this subscription, unless a newer event was
 * applied.
 */
export async function decideSubscription(
  ctx: EventContext,
  { id: eventId, type, created: at, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const { table, log } = ctx
  const kind = kinds[type] ?? 'updated'
  const snapshot = parseSnapshot(data.object, kind === 'deleted' ? 'canceled' : undefined)
  if (snapshot === undefined) {
    log.warn('a subscription event could not be parsed', { eventId, type })
    return undefined
  }
  const { id } = snapshot
  const row = await findSubscription(table, id)
  const next = await mergeSnapshot(ctx, snapshot, { position: { at, rank: ranks[kind] }, row })
  const disputes = row?.disputes && { disputes: row.disputes }
  const users = await ownersOf(table, id)
  const adopted =
    users.length > 0
      ? undefined
      : await linkSubscription(ctx, {
          snapshot,
          known: { ...(row && stateOf(row)), ...next },
          from: data.object,
        })
  if (next === undefined && adopted === undefined) return undefined
  const known = adopted?.known ?? next ?? {}
  const changes = await Promise.all(
    users.map((user) => accountWrites(ctx, user, { id, ...known, ...disputes })),
  )
  const all = [...changes, adopted?.change].flatMap((change) => change ?? [])
  const moved = all.slice(0, maxUsers)
  if (all.length > maxUsers)
    log.warn(
      'a subscription has more users than one event changes',
      { eventId, id, left: all.slice(maxUsers).map(({ userId }) => userId) },
      { by: [['function']], of: { UsersLeftBehind: [all.length - maxUsers, 'Count'] } },
    )
  if (users.some(({ subscription }) => subscription.id === id)) warnOfPrice(ctx, eventId, snapshot)
  const userIds = [...moved.map(({ userId }) => userId), ...(adopted?.userIds ?? [])]
  const isLate = known.seen?.status === 'past_due' && row?.seen?.status !== 'past_due'
  return {
    userIds,
    ...(isLate &&
      userIds.length > 0 && {
        afterCommit: () => logFailedPayment(log, { eventId, userIds, subscription: id }),
      }),
    parts: {
      ...adopted?.parts,
      subscription: {
        update: providerSubscriptionRows.key({ id }),
        set: { id, ...known },
        add: { named: 0 },
        ...ifSubscriptionUnchanged(row),
      },
      ...numbered(
        'user',
        moved.map(({ write }) => write),
      ),
      ...numbered(
        'audit',
        moved.flatMap(({ audits }) => audits),
      ),
      ...numbered(
        'webhook',
        moved.flatMap(({ webhooks }) => webhooks),
      ),
    },
  }
}

function stateOf({ id: _id, named: _named, ...state }: ProviderSubscription): SubscriptionState {
  return state
}

/** Warns the operator about a price that no plan has. The event does not change the plan. */
function warnOfPrice(
  { log }: EventContext,
  eventId: string,
  { pence }: SubscriptionSnapshot,
): void {
  if (pence === undefined || planOfPrice(pence) !== undefined) return
  log.warn(
    'the price of a subscription matches no plan',
    { eventId, pence },
    { by: [['function']], of: { UnknownPrices: [1, 'Count'] } },
  )
}
