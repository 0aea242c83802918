import { findUser } from '#shared/accounts/users/user.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { EventContext } from '../context.ts'
import { checkoutRows, type Order, orderRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import type { PaymentEvent } from './event.ts'
import { isOther } from './find-order.ts'
import { findSubscription } from './find-subscription.ts'
import { grantCredits } from './grant-credits.ts'
import { grantSubscription } from './grant-subscription.ts'
import { type OrderPayment, session, type CheckoutSession } from './payment.ts'
import { refusePayment } from './refuse.ts'

/** Decides the effect of a paid checkout: grants the purchase once. */
export async function decidePaid(
  ctx: EventContext,
  { id: eventId, type, created: at, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const { table, log } = ctx
  const parsed = session.safeParse(data.object)
  const found = parsed.success ? await orderOf(table, parsed.data) : undefined
  if (!parsed.success || found === undefined) {
    log.info('a payment without an order of this platform', { eventId, sessionId: parsed.data?.id })
    return undefined
  }
  const { order, isOurs } = found
  const { payment_status: status, amount_total: amount } = parsed.data
  const isFree = order.buys.kind !== 'credits' && amount === 0
  const isPaid = type.endsWith('async_payment_succeeded') || status === 'paid'
  // A trial, or a coupon for the full price, needs no payment yet.
  const isTrial = status === 'no_payment_required' || (isPaid && isFree)
  if (!isPaid && !isTrial) return undefined
  const whole = await withAdopted(table, order, parsed.data)
  const payment = { order, session: whole, at, isTrial }
  if (order.state === 'paid' && order.sessionId === whole.id)
    return { parts: {}, userIds: [order.userId] }
  const wrong = order.state === 'paid' ? 'paid twice' : mismatch(payment)
  if (wrong !== undefined) return refusePayment(ctx, payment, { eventId, wrong, isOurs })
  const user = await findUser(table, order.userId)
  if (user === undefined) return refusePayment(ctx, payment, { eventId, wrong: 'user', isOurs })
  return order.buys.kind === 'credits'
    ? grantCredits(ctx, { ...payment, user })
    : grantSubscription(ctx, { ...payment, user })
}

interface Found {
  order: Order
  /**
   * True if the platform created the session. The metadata alone does not prove it, because another integration may
   * copy them.
   */
  isOurs: boolean
}

/**
 * Finds the order of a session by the session's id, or by the metadata if the process died before the id was stored.
 */
export async function orderOf(
  table: Table,
  { id: sessionId, metadata, client_reference_id: userId }: CheckoutSession,
): Promise<Found | undefined> {
  const namedOrderId = metadata?.order
  const [checkout, guessed] = await table.getMany([
    checkoutRows.key({ sessionId }),
    // Usually the metadata contain the same order, so one read is enough.
    ...(namedOrderId === undefined ? [] : [orderRows.key({ orderId: namedOrderId })]),
  ])
  const orderId = checkout === undefined ? namedOrderId : checkoutRows.parse(checkout).orderId
  if (orderId === undefined) return undefined
  const row = orderId === namedOrderId ? guessed : await table.get(orderRows.key({ orderId }))
  const order = row && orderRows.parse(row)
  if (order === undefined) return undefined
  if (checkout !== undefined) return { order, isOurs: true }
  const isForeign = order.sessionId !== undefined && order.sessionId !== sessionId
  return isForeign ? undefined : { order, isOurs: userId === order.userId }
}

/** Adds the subscription and the payment with the order in their metadata, if the session does not contain them. */
async function withAdopted(
  table: Table,
  order: Order,
  checkoutSession: CheckoutSession,
): Promise<CheckoutSession> {
  if (order.state === 'paid') return checkoutSession
  const { customer, subscription, payment_intent: intent } = checkoutSession
  const id = subscription ?? order.subscriptionId
  const row = id === undefined ? undefined : await findSubscription(table, id)
  const isForeign = subscription === undefined && isOther(row?.seen?.customerId, customer)
  return {
    ...checkoutSession,
    subscription: isForeign ? undefined : id,
    payment_intent: intent ?? order.paymentIntent,
  }
}

/** Returns the first field of a session that does not match the order. Absent fields are not checked. */
function mismatch({ order, session: checkoutSession, isTrial }: OrderPayment): string | undefined {
  const { mode, amount_total: amount, currency, client_reference_id: userId } = checkoutSession
  const isOnce = order.buys.kind === 'credits'
  if (isTrial && isOnce) return 'the session is not paid'
  if (mode !== undefined && mode !== (isOnce ? 'payment' : 'subscription')) return 'mode'
  if (currency !== undefined && currency.toLowerCase() !== 'gbp') return 'currency'
  if (amount !== undefined && amount !== (isTrial ? 0 : order.pence)) return 'amount'
  if (userId !== undefined && userId !== order.userId) return 'client_reference_id'
  return undefined
}
