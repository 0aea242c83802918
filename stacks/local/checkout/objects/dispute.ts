import type { Stripe } from 'stripe'
import type { DisputeRecord } from '../store/records.ts'

type Shown = Pick<
  Stripe.Dispute,
  | 'id'
  | 'object'
  | 'amount'
  | 'charge'
  | 'created'
  | 'currency'
  | 'livemode'
  | 'payment_intent'
  | 'reason'
  | 'status'
>

/** Returns a dispute in Stripe's format. */
export function toDispute(record: DisputeRecord): Shown {
  const { id, amount, chargeId, created, currency, payment, status } = record
  return {
    id,
    object: 'dispute',
    amount,
    charge: chargeId,
    created,
    currency,
    livemode: false,
    payment_intent: payment,
    reason: 'fraudulent',
    status,
  }
}
