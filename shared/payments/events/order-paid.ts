import type { Write } from '../../platform/table/port.ts'
import { orderRows } from '../rows.ts'
import { asRead } from './as-read.ts'
import type { Payment } from './payment.ts'

/** That an order was paid, once: two events of one payment meet here. */
export function orderPaid({ order, session, at }: Payment): Write {
  const { subscription: subscriptionId, payment_intent: paymentIntent } = session
  const { customer: customerId, invoice: invoiceId } = session
  const told = { customerId, subscriptionId, paymentIntent, invoiceId }
  const given = Object.entries(told).filter(([, value]) => value !== undefined)
  return {
    update: orderRows.key({ orderId: order.id }),
    set: {
      state: 'paid',
      paidAt: at,
      appliedAt: new Date().toISOString(),
      sessionId: session.id,
      ...Object.fromEntries(given),
    },
    remove: ['expiresAt'],
    // What names the order in its metadata may come at the same time, and is then seen.
    ...asRead({
      state: 'open',
      subscriptionId: order.subscriptionId,
      paymentIntent: order.paymentIntent,
    }),
  }
}
