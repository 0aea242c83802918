import type { Stripe } from 'stripe'
import { newId } from '../ids.ts'
import type { PaymentRecord } from '../store/records.ts'

/** Returns a refund in Stripe's format. @param amount in the currency's smallest unit */
export function toRefund(
  { id, chargeId, currency }: PaymentRecord,
  amount: number,
): Pick<
  Stripe.Refund,
  'id' | 'object' | 'amount' | 'charge' | 'currency' | 'payment_intent' | 'status'
> {
  return {
    id: newId('re'),
    object: 'refund',
    amount,
    charge: chargeId,
    currency,
    payment_intent: id,
    status: 'succeeded',
  }
}

/** Returns the payment of an invoice in Stripe's format. */
export function toInvoicePayment(
  invoice: string,
  { id, amount, created, currency }: PaymentRecord,
): Pick<
  Stripe.InvoicePayment,
  'id' | 'object' | 'amount_paid' | 'created' | 'currency' | 'invoice' | 'payment' | 'status'
> {
  return {
    id: `inpay_${id.slice(id.indexOf('_') + 1)}`,
    object: 'invoice_payment',
    amount_paid: amount,
    created,
    currency,
    invoice,
    payment: { type: 'payment_intent', payment_intent: id },
    status: 'paid',
  }
}
