import { subscriptionOwnerRows } from '../../accounts/rows.ts'
import { findUser, type User } from '../../accounts/user.ts'
import { numbered } from '../../platform/table/commit.ts'
import type { Table } from '../../platform/table/port.ts'
import { planOfPrice } from '../catalogue.ts'
import type { EventContext } from '../context.ts'
import { providerSubscriptionRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import { asRead } from './as-read.ts'
import type { PaymentEvent } from './event.ts'
import { findSubscription } from './find-subscription.ts'
import { moveOf } from './move.ts'
import { newest } from './newest.ts'
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
  const next = await newest(ctx, said, { place: { at, rank }, row })
  if (next === undefined) return undefined
  const users = await ownersOf(table, id)
  const moves = await Promise.all(users.map((user) => moveOf(ctx, user, { id, ...next })))
  const moved = moves.flatMap((move) => move ?? [])
  if (users.some(({ subscription }) => subscription.id === id)) warnOfPrice(ctx, eventId, said)
  return {
    userIds: moved.map(({ userId }) => userId),
    parts: {
      subscription: {
        update: providerSubscriptionRows.key({ id }),
        set: { id, ...next },
        add: { named: 0 },
        ...asRead({ seen: row?.seen, priced: row?.priced, named: row?.named }),
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

/** A price that is none of the plans' changes nothing; an operator should know of it. */
function warnOfPrice({ log }: EventContext, eventId: string, { pence }: Word): void {
  if (pence === undefined || planOfPrice(pence) !== undefined) return
  log.warn(
    'a plan’s subscription has a price that no plan has',
    { eventId, pence },
    { by: [['function']], of: { UnknownPrices: [1, 'Count'] } },
  )
}
