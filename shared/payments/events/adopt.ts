import { paidIndex, subscriptionOwnerRows } from '../../accounts/rows.ts'
import { findUser } from '../../accounts/user.ts'
import type { Parts } from '../../platform/table/commit.ts'
import type { EventContext } from '../context.ts'
import { type Order, orderRows } from '../rows.ts'
import { unwanted } from '../unwanted.ts'
import { asRead } from './as-read.ts'
import { type Move, moveOf } from './move.ts'
import { newest, ranks, type Said } from './newest.ts'
import { orderNamed } from './order-named.ts'
import type { Word } from './word.ts'

/** What follows for an order from a subscription that names it in its metadata. */
interface Adopted {
  /** What is known of the subscription, with its payment. */
  known: Said
  /** The user who has what was ordered, and did not know by which subscription. */
  move?: Move | undefined
  /** Whose subscriptions are to be looked at. */
  userIds: string[]
  parts: Parts
}

interface Named {
  said: Word
  known: Said | undefined
  /** The subscription as its event carries it. */
  from: unknown
}

/**
 * Takes a subscription that no user has for that of the order which it names, where the order's payment did not say
 * what it began. It is cancelled where the order gives nothing.
 * @returns undefined for one that names no such order
 */
export async function adopt(
  ctx: EventContext,
  { said, known = {}, from }: Named,
): Promise<Adopted | undefined> {
  const { id, customerId } = said
  const has = ({ buys, subscriptionId }: Order) =>
    buys.kind === 'credits' || subscriptionId !== undefined
  const order = await orderNamed(ctx.table, from, { customerId, has })
  if (order === undefined) return undefined
  const { id: orderId, userId, state, refusedSessionId } = order
  const parts: Parts = {
    order: {
      update: orderRows.key({ orderId }),
      set: { subscriptionId: id },
      ...asRead({ state, refusedSessionId, subscriptionId: undefined }),
    },
  }
  if (state === 'open' && refusedSessionId === undefined) return { known, userIds: [], parts }
  const user = state === 'paid' ? await findUser(ctx.table, userId) : undefined
  const withPaid = user && { ...known, ...(await paidWord(ctx, { order, user, said, known })) }
  const move = user && (await moveOf(ctx, user, { id, ...withPaid }, orderId))
  if (move === undefined)
    return {
      known,
      userIds: [userId],
      parts: { ...parts, unwanted: unwanted(userId, id, known.seen?.status) },
    }
  const owner = subscriptionOwnerRows.put({ id, userId }, { userId }, paidIndex(id))
  return {
    known: withPaid ?? known,
    move,
    userIds: [],
    parts: { ...parts, owner: { put: owner } },
  }
}

interface Paid {
  order: Order
  user: NonNullable<Awaited<ReturnType<typeof findUser>>>
  said: Word
  known: Said
}

/** That it was paid is a word about the subscription as well, which its own events are compared with. */
async function paidWord(
  ctx: EventContext,
  { order, user, said, known }: Paid,
): Promise<Said | undefined> {
  const held = order.buys.kind === 'plan' ? user.subscription : user.storage
  const isTrial = held?.since === 0
  if (isTrial || order.paidAt === undefined) return undefined
  const { id, customerId } = said
  const paid = { id, status: 'active', customerId, pence: order.pence } as const
  const place = { at: order.paidAt, rank: ranks.paid }
  return newest(ctx, paid, { place, row: known })
}
