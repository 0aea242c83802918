import type { Stripe } from 'stripe'
import type { PaymentRecord } from '../store/records.ts'

type ShownIntent = Pick<
  Stripe.PaymentIntent,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_received'
  | 'created'
  | 'currency'
  | 'customer'
  | 'latest_charge'
  | 'livemode'
  | 'metadata'
  | 'status'
>

type ShownCharge = Pick<
  Stripe.Charge,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_captured'
  | 'amount_refunded'
  | 'captured'
  | 'created'
  | 'currency'
  | 'customer'
  | 'disputed'
  | 'livemode'
  | 'metadata'
  | 'paid'
  | 'payment_intent'
  | 'refunded'
  | 'status'
>

/** Returns a payment as a Stripe payment intent. */
export function toPaymentIntent(record: PaymentRecord): ShownIntent {
  const { id, amount, created, currency, customer, chargeId, metadata } = record
  return {
    id,
    object: 'payment_intent',
    amount,
    amount_received: amount,
    created,
    currency,
    customer,
    latest_charge: chargeId,
    livemode: false,
    metadata,
    status: 'succeeded',
  }
}

/** Returns a payment as a Stripe charge, the object that refunds refer to. */
export function toCharge(record: PaymentRecord): ShownCharge {
  const { id, amount, created, currency, customer, chargeId, metadata, refunded } = record
  return {
    id: chargeId,
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: refunded,
    captured: true,
    created,
    currency,
    customer,
    disputed: false,
    livemode: false,
    metadata,
    paid: true,
    payment_intent: id,
    refunded: refunded === amount,
    status: 'succeeded',
  }
}
