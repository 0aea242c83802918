import type { Write } from '#shared/platform/table/port.ts'
import type { Session } from './events/payment.ts'
import { refundRows } from './rows.ts'

type Paid = Pick<Session, 'id'> &
  Partial<Pick<Session, 'subscription' | 'payment_intent' | 'invoice'>>

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
