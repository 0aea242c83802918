import type { Write } from '../../platform/table/port.ts'
import { orderRows } from '../rows.ts'
import type { Payment } from './payment.ts'

/** That an order was paid, once: two events of one payment meet here. */
export function orderPaid({ order, session, at }: Payment): Write {
  const { subscription, payment_intent: paymentIntent } = session
  return {
    update: orderRows.key({ orderId: order.id }),
    set: {
      state: 'paid',
      paidAt: at,
      sessionId: session.id,
      ...(subscription !== undefined && { subscriptionId: subscription }),
      ...(paymentIntent !== undefined && { paymentIntent }),
    },
    remove: ['expiresAt'],
    if: '#state = :open',
    values: { open: 'open' },
  }
}
