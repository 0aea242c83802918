import { findUser } from '../../accounts/user.ts'
import type { Table } from '../../platform/table/port.ts'
import type { EventContext } from '../context.ts'
import { checkoutRows, type Order, orderRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import type { PaymentEvent } from './event.ts'
import { grantCredits } from './grant-credits.ts'
import { grantSubscription } from './grant-subscription.ts'
import { type Payment, session, type Session } from './payment.ts'

/** What a checkout that was paid does: what was ordered is given, once. */
export async function decidePaid(
  ctx: EventContext,
  { id: eventId, type, created: at, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const { table, log } = ctx
  const parsed = session.safeParse(data.object)
  const order = parsed.success ? await orderOf(table, parsed.data) : undefined
  if (!parsed.success || order === undefined) {
    log.info('a payment of another shop', { eventId, sessionId: parsed.data?.id })
    return undefined
  }
  const isTrial = parsed.data.payment_status === 'no_payment_required'
  const payment = { order, session: parsed.data, at, isTrial }
  const isPaid = type.endsWith('async_payment_succeeded') || parsed.data.payment_status === 'paid'
  if (!isPaid && !isTrial) return undefined
  const wrong = mismatch(payment)
  if (wrong !== undefined) {
    const fields = { eventId, orderId: order.id, userId: order.userId, wrong }
    const of = { PaymentMismatches: [1, 'Count'] } as const
    log.warn('a payment is not its order’s', fields, { by: [['function']], of })
    return undefined
  }
  if (order.state === 'paid') return { parts: {}, userIds: [order.userId] }
  const user = await findUser(table, order.userId)
  if (user === undefined) {
    log.warn('a user who is gone has paid', { eventId, orderId: order.id, userId: order.userId })
    return undefined
  }
  return order.buys.kind === 'credits'
    ? grantCredits(ctx, { ...payment, user })
    : grantSubscription(ctx, { ...payment, user })
}

/** The order is known by the session's id; metadata count where the process died before that was noted. */
async function orderOf(
  table: Table,
  { id: sessionId, metadata }: Session,
): Promise<Order | undefined> {
  const said = metadata?.order
  const [checkout, guessed] = await table.getMany([
    checkoutRows.key({ sessionId }),
    // As a rule they are one, which is then read at once.
    ...(said === undefined ? [] : [orderRows.key({ orderId: said })]),
  ])
  const orderId = checkout === undefined ? said : checkoutRows.parse(checkout).orderId
  if (orderId === undefined) return undefined
  const row = orderId === said ? guessed : await table.get(orderRows.key({ orderId }))
  const order = row && orderRows.parse(row)
  return order?.sessionId === undefined || order.sessionId === sessionId ? order : undefined
}

/** What of a session is not as it was ordered; what it leaves out is not looked at. */
function mismatch({ order, session: given, isTrial }: Payment): string | undefined {
  const { mode, amount_total: amount, currency, client_reference_id: userId } = given
  const isOnce = order.buys.kind === 'credits'
  if (isTrial && isOnce) return 'nothing was paid'
  if (mode !== undefined && mode !== (isOnce ? 'payment' : 'subscription')) return 'mode'
  if (currency !== undefined && currency.toLowerCase() !== 'gbp') return 'currency'
  if (amount !== undefined && amount !== (isTrial ? 0 : order.pence)) return 'amount'
  if (userId !== undefined && userId !== order.userId) return 'client_reference_id'
  return undefined
}
