import { numbered } from '../../platform/table/commit.ts'
import { planOfPrice } from '../catalogue.ts'
import type { EventContext } from '../context.ts'
import { providerSubscriptionRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import { adopt } from './adopt.ts'
import { asRead } from './as-read.ts'
import { tellOfFailure } from './failed.ts'
import type { PaymentEvent } from './event.ts'
import { findSubscription } from './find-subscription.ts'
import { moveOf } from './move.ts'
import { newest, ranks } from './newest.ts'
import { ownersOf } from '../owners.ts'
import { type Word, wordOf } from './word.ts'

const kinds: Readonly<Record<string, 'created' | 'updated' | 'deleted'>> = {
  'customer.subscription.created': 'created',
  'customer.subscription.updated': 'updated',
  'customer.subscription.deleted': 'deleted',
}

/** As many users as one transaction has room for. The provider has one payer for each, trusted callers may err. */
const mostMoved = 20

/** What an event of a subscription does: it moves the users whose records name it, unless a newer one was applied. */
export async function decideSubscription(
  ctx: EventContext,
  { id: eventId, type, created: at, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const { table, log } = ctx
  const kind = kinds[type] ?? 'updated'
  const said = wordOf(data.object, kind === 'deleted' ? 'canceled' : undefined)
  if (said === undefined) {
    log.warn('a subscription event was not understood', { eventId, type })
    return undefined
  }
  const { id } = said
  const row = await findSubscription(table, id)
  const next = await newest(ctx, said, { place: { at, rank: ranks[kind] }, row })
  const disputes = row?.disputes && { disputes: row.disputes }
  const users = await ownersOf(table, id)
  const adopted =
    users.length > 0
      ? undefined
      : await adopt(ctx, { said, known: { ...(next ?? row), ...disputes }, from: data.object })
  if (next === undefined && adopted === undefined) return undefined
  const known = adopted?.known ?? next ?? {}
  const moves = await Promise.all(
    users.map((user) => moveOf(ctx, user, { id, ...known, ...disputes })),
  )
  const all = [...moves, adopted?.move].flatMap((move) => move ?? [])
  const moved = all.slice(0, mostMoved)
  if (all.length > mostMoved)
    log.warn(
      'a subscription has more users than one event moves',
      { eventId, id, left: all.slice(mostMoved).map(({ userId }) => userId) },
      { by: [['function']], of: { UsersLeftBehind: [all.length - mostMoved, 'Count'] } },
    )
  if (users.some(({ subscription }) => subscription.id === id)) warnOfPrice(ctx, eventId, said)
  const userIds = [...moved.map(({ userId }) => userId), ...(adopted?.userIds ?? [])]
  const isLate = known.seen?.status === 'past_due' && row?.seen?.status !== 'past_due'
  return {
    userIds,
    ...(isLate &&
      userIds.length > 0 && {
        tell: () => tellOfFailure(log, { eventId, userIds, subscription: id }),
      }),
    parts: {
      ...adopted?.parts,
      subscription: {
        update: providerSubscriptionRows.key({ id }),
        set: { id, ...known },
        add: { named: 0 },
        ...asRead({
          seen: row?.seen,
          priced: row?.priced,
          disputes: row?.disputes,
          named: row?.named,
        }),
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

/** A price that is none of the plans' changes nothing; an operator should know of it. */
function warnOfPrice({ log }: EventContext, eventId: string, { pence }: Word): void {
  if (pence === undefined || planOfPrice(pence) !== undefined) return
  log.warn(
    'a plan’s subscription has a price that no plan has',
    { eventId, pence },
    { by: [['function']], of: { UnknownPrices: [1, 'Count'] } },
  )
}
