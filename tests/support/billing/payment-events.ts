import { randomUUID } from 'node:crypto'
import type { PaymentEventInput } from './billing.ts'

/** Returns a checkout session as the provider’s events contain it, for the form that created it. */
export function sessionOf(
  { sessionId, form }: { sessionId: string; form: Record<string, string> },
  given: Record<string, unknown> = {},
): Record<string, unknown> {
  const isOnce = form.mode === 'payment'
  return {
    id: sessionId,
    object: 'checkout.session',
    mode: form.mode,
    payment_status: 'paid',
    status: 'complete',
    amount_total: Number(form['line_items[0][price_data][unit_amount]']),
    currency: 'gbp',
    client_reference_id: form.client_reference_id,
    customer: `cus_${form.client_reference_id}`,
    subscription: isOnce ? null : `sub_${randomUUID()}`,
    payment_intent: isOnce ? `pi_${randomUUID()}` : null,
    invoice: isOnce ? null : `in_${randomUUID()}`,
    metadata: { order: form['metadata[order]'] },
    ...given,
  }
}

export const completed = (
  object: Record<string, unknown>,
  created?: number,
): PaymentEventInput => ({
  type: 'checkout.session.completed',
  object,
  ...(created !== undefined && { created }),
})

/**
 * Returns a subscription as the provider’s events contain it.
 * @param pence per month
 */
export function subscriptionOf(
  id: unknown,
  status: string,
  pence: number,
  given: Record<string, unknown> = {},
): Record<string, unknown> {
  const price = { unit_amount: pence, currency: 'gbp', recurring: { interval: 'month' } }
  return {
    id,
    object: 'subscription',
    status,
    customer: 'cus_of_the_subscription',
    trial_end: null,
    items: { object: 'list', data: [{ id: 'si_1', price, quantity: 1 }] },
    ...given,
  }
}

export const subscriptionEvent = (
  kind: 'created' | 'updated' | 'deleted',
  object: Record<string, unknown>,
  created?: number,
): PaymentEventInput => ({
  type: `customer.subscription.${kind}`,
  object,
  ...(created !== undefined && { created }),
})
