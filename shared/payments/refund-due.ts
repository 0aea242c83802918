import type { Write } from '../platform/table/port.ts'
import type { Session } from './events/payment.ts'
import { refundRows } from './rows.ts'

type Paid = Pick<Session, 'id'> &
  Partial<Pick<Session, 'subscription' | 'payment_intent' | 'invoice'>>

/**
 * That a payment is to be paid back. @param paid its session, with what it began where the order does not tell of it
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
