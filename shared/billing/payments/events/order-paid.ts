import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { orderRows } from '../rows.ts'
import type { OrderPayment } from './payment.ts'

/** Marks an order as paid. Of two concurrent events of one payment, only one can write this. */
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
    // A concurrent event with the order in its metadata may change the order; this condition then fails, and the event
    // is decided again.
    ...ifUnchanged({
      state: 'open',
      subscriptionId: order.subscriptionId,
      paymentIntent: order.paymentIntent,
    }),
  }
}
