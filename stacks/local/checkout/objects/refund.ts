import type { Stripe } from 'stripe'
import { newId } from '../ids.ts'
import type { PaymentRecord } from '../store/records.ts'

/** What was given back of a payment, as Stripe shows it. @param amount in the currency's smallest unit */
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

/** The payment of an invoice, as Stripe shows it. */
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
