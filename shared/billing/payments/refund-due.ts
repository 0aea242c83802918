import type { Write } from '#shared/platform/table/port.ts'
import type { CheckoutSession } from './events/payment.ts'
import { refundRows } from './rows.ts'

type Paid = Pick<CheckoutSession, 'id'> &
  Partial<Pick<CheckoutSession, 'subscription' | 'payment_intent' | 'invoice'>>

/**
 * Returns the write that schedules the refund of a payment.
 * @param paid the session, with the ids that the order does not contain
 */
export function refundDue(
  userId: string,
  orderId: string,
  { id: sessionId, subscription: subscriptionId, payment_intent: paymentIntent, invoice }: Paid,
): Write {
  return {
    put: refundRows.put(
      { userId, sessionId },
      {
        orderId,
        sessionId,
        ...(subscriptionId !== undefined && { subscriptionId }),
        ...(paymentIntent !== undefined && { paymentIntent }),
        ...(invoice !== undefined && { invoiceId: invoice }),
      },
    ),
  }
}
