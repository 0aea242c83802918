import type { Stripe } from 'stripe'
import { type Engine, secondsNow } from '../engine.ts'
import type { SessionRecord } from '../store/records.ts'

type Session = Stripe.Checkout.Session
type Shown = Pick<
  Session,
  | 'id'
  | 'object'
  | 'amount_subtotal'
  | 'amount_total'
  | 'cancel_url'
  | 'client_reference_id'
  | 'created'
  | 'currency'
  | 'customer'
  | 'customer_details'
  | 'customer_email'
  | 'expires_at'
  | 'invoice'
  | 'livemode'
  | 'locale'
  | 'metadata'
  | 'mode'
  | 'payment_intent'
  | 'payment_method_types'
  | 'payment_status'
  | 'setup_intent'
  | 'status'
  | 'subscription'
  | 'success_url'
  | 'total_details'
  | 'ui_mode'
  | 'url'
>

/** Returns the total of all lines in the currency's smallest unit. */
export function totalOf({ lines }: Pick<SessionRecord, 'lines'>): number {
  return lines.reduce((sum, { amount, quantity }) => sum + amount * quantity, 0)
}

/** Returns the status; an open session becomes `expired` by time alone. */
export function statusOf(
  engine: Pick<Engine, 'clock'>,
  { status, expiresAt }: SessionRecord,
): 'open' | 'complete' | 'expired' {
  return status === 'open' && secondsNow(engine) >= expiresAt ? 'expired' : status
}

/** Returns a checkout session in Stripe's format. The price of a trial is not due yet. */
export function toSession(engine: Engine, record: SessionRecord): Shown {
  const status = statusOf(engine, record)
  const total = record.trialDays === null ? totalOf(record) : 0
  const email = record.customerEmail
  return {
    id: record.id,
    object: 'checkout.session',
    amount_subtotal: total,
    amount_total: total,
    cancel_url: record.cancelUrl,
    client_reference_id: record.clientReferenceId,
    created: record.created,
    currency: record.currency,
    customer: record.customer,
    customer_details:
      email === null
        ? null
        : {
            address: null,
            business_name: null,
            email,
            individual_name: null,
            name: null,
            phone: null,
            tax_exempt: 'none',
            tax_ids: [],
          },
    customer_email: email,
    expires_at: record.expiresAt,
    invoice: record.invoice,
    livemode: false,
    locale: null,
    metadata: record.metadata,
    mode: record.mode,
    // The payment of a subscription belongs to its invoice, so it is not listed here.
    payment_intent: record.mode === 'payment' ? record.payment : null,
    payment_method_types: ['card'],
    payment_status: record.paymentStatus,
    setup_intent: null,
    status,
    subscription: record.subscription,
    success_url: record.successUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: status === 'open' ? pageOf(engine, record) : null,
  }
}

function pageOf({ origin }: Engine, { id }: SessionRecord): string {
  return `${origin}/c/pay/${id}`
}
