import { findUser } from '../../accounts/user.ts'
import type { Table } from '../../platform/table/port.ts'
import type { EventContext } from '../context.ts'
import { checkoutRows, type Order, orderRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import type { PaymentEvent } from './event.ts'
import { grantCredits } from './grant-credits.ts'
import { findSubscription } from './find-subscription.ts'
import { grantSubscription } from './grant-subscription.ts'
import { isOther } from './order-named.ts'
import { type Payment, session, type Session } from './payment.ts'
import { refuse } from './refuse.ts'

/** What a checkout that was paid does: what was ordered is given, once. */
export async function decidePaid(
  ctx: EventContext,
  { id: eventId, type, created: at, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const { table, log } = ctx
  const parsed = session.safeParse(data.object)
  const found = parsed.success ? await orderOf(table, parsed.data) : undefined
  if (!parsed.success || found === undefined) {
    log.info('a payment of another shop', { eventId, sessionId: parsed.data?.id })
    return undefined
  }
  const { order, isOurs } = found
  const { payment_status: status, amount_total: amount } = parsed.data
  const isFree = order.buys.kind !== 'credits' && amount === 0
  const isPaid = type.endsWith('async_payment_succeeded') || status === 'paid'
  // With a trial, and with a coupon for all of it, nothing is paid yet.
  const isTrial = status === 'no_payment_required' || (isPaid && isFree)
  if (!isPaid && !isTrial) return undefined
  const whole = await withAdopted(table, order, parsed.data)
  const payment = { order, session: whole, at, isTrial }
  if (order.state === 'paid' && order.sessionId === whole.id)
    return { parts: {}, userIds: [order.userId] }
  const wrong = order.state === 'paid' ? 'paid twice' : mismatch(payment)
  if (wrong !== undefined) return refuse(ctx, payment, { eventId, wrong, isOurs })
  const user = await findUser(table, order.userId)
  if (user === undefined) return refuse(ctx, payment, { eventId, wrong: 'user', isOurs })
  return order.buys.kind === 'credits'
    ? grantCredits(ctx, { ...payment, user })
    : grantSubscription(ctx, { ...payment, user })
}

interface Found {
  order: Order
  /** The platform made the session, by more than metadata, which another shop may have copied. */
  isOurs: boolean
}

/** The order is known by the session's id; metadata count where the process died before that was noted. */
export async function orderOf(
  table: Table,
  { id: sessionId, metadata, client_reference_id: userId }: Session,
): Promise<Found | undefined> {
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
  if (order === undefined) return undefined
  if (checkout !== undefined) return { order, isOurs: true }
  const isAnothers = order.sessionId !== undefined && order.sessionId !== sessionId
  return isAnothers ? undefined : { order, isOurs: userId === order.userId }
}

/** The session with what names its order in its metadata, where it does not say itself what was begun by it. */
async function withAdopted(table: Table, order: Order, given: Session): Promise<Session> {
  if (order.state === 'paid') return given
  const { customer, subscription, payment_intent: intent } = given
  const id = subscription ?? order.subscriptionId
  const row = id === undefined ? undefined : await findSubscription(table, id)
  const isAnothers = subscription === undefined && isOther(row?.seen?.customerId, customer)
  return {
    ...given,
    subscription: isAnothers ? undefined : id,
    payment_intent: intent ?? order.paymentIntent,
  }
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
