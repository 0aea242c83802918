import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { orderRows } from '../rows.ts'
import type { OrderPayment } from './payment.ts'

/** Marks an order as paid. If two events of one payment are concurrent, only one can write this. */
export function orderPaidWrite({ order, session, at }: OrderPayment): Write {
  const { subscription: subscriptionId, payment_intent: paymentIntent } = session
  const { customer: customerId, invoice: invoiceId } = session
  const ids = { customerId, subscriptionId, paymentIntent, invoiceId }
  const known = Object.entries(ids).filter(([, value]) => value !== undefined)
  return {
    update: orderRows.key({ orderId: order.id }),
    set: {
      state: 'paid',
      paidAt: at,
      appliedAt: new Date().toISOString(),
      sessionId: session.id,
      ...Object.fromEntries(known),
    },
    remove: ['expiresAt'],
    // A concurrent event with the order in its metadata may change the order. This condition then fails, and `decide`
    // runs again for the event.
    ...ifUnchanged({
      state: 'open',
      subscriptionId: order.subscriptionId,
      paymentIntent: order.paymentIntent,
    }),
  }
}
