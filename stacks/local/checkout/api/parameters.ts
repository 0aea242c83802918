import * as z from 'zod'
import type { NewSession } from '../verbs/create-session.ts'
import { httpUrl, metadata, whole } from './form.ts'

/** The Stripe parameters that the platform sends. Every other parameter is an error, so none is silently ignored. */

const currency = z
  .string()
  .regex(/^[a-z]{3}$/i, 'must be a currency')
  .transform((code) => code.toLowerCase())

const lineItem = z.strictObject({
  price_data: z.strictObject({
    currency,
    unit_amount: whole,
    product_data: z.strictObject({
      name: z.string().min(1).max(250),
      description: z.string().max(500).optional(),
    }),
    recurring: z
      .strictObject({
        interval: z.enum(['day', 'week', 'month', 'year']),
        interval_count: z.literal('1').optional(),
      })
      .optional(),
  }),
  quantity: whole.default(1),
})

const checkoutParameters = z.strictObject({
  mode: z.enum(['payment', 'subscription']),
  line_items: z.array(lineItem).min(1).max(100),
  client_reference_id: z.string().max(200).optional(),
  customer: z.string().optional(),
  customer_email: z.email().optional(),
  metadata,
  subscription_data: z
    .strictObject({ metadata, trial_period_days: whole.pipe(z.int().min(1).max(730)).optional() })
    .optional(),
  payment_intent_data: z.strictObject({ metadata }).optional(),
  payment_method_types: z.array(z.literal('card')).optional(),
  success_url: httpUrl,
  cancel_url: httpUrl.optional(),
})

/** The parameters of a new checkout session. */
export const newCheckout = checkoutParameters.transform((input): NewSession => ({
  mode: input.mode,
  currency: input.line_items[0]?.price_data.currency ?? '',
  lines: input.line_items.map(({ price_data, quantity }) => ({
    name: price_data.product_data.name,
    amount: price_data.unit_amount,
    quantity,
    interval: price_data.recurring?.interval ?? null,
  })),
  clientReferenceId: input.client_reference_id ?? null,
  customer: input.customer ?? null,
  customerEmail: input.customer_email ?? null,
  metadata: input.metadata,
  innerMetadata: input.subscription_data?.metadata ?? input.payment_intent_data?.metadata ?? {},
  trialDays: input.subscription_data?.trial_period_days ?? null,
  successUrl: input.success_url,
  cancelUrl: input.cancel_url ?? null,
}))

/** The parameters of a new portal session. */
export const newPortal = z
  .strictObject({ customer: z.string(), return_url: httpUrl })
  .transform(({ customer, return_url }) => ({ customer, returnUrl: return_url }))

/** The filter of a list of subscriptions. By default, ended subscriptions are left out. */
export const subscriptionQuery = z.strictObject({
  status: z.enum(['all', 'trialing', 'active', 'past_due', 'canceled']).optional(),
  customer: z.string().optional(),
  limit: whole.pipe(z.int().min(1).max(100)).default(10),
  starting_after: z.string().optional(),
})

/** The filter of a list of payments: one invoice or payment intent. Only a subscription's first invoice has a stored payment. */
export const invoicePaymentQuery = z.strictObject({
  invoice: z.string().optional(),
  payment: z
    .strictObject({ type: z.literal('payment_intent'), payment_intent: z.string() })
    .optional(),
  expand: z.array(z.literal('data.invoice')).optional(),
  status: z.literal('paid').optional(),
  limit: whole.pipe(z.int().min(1).max(100)).optional(),
})

/** The parameters of a refund. Without an amount, the rest of the payment is refunded. */
export const newRefund = z.strictObject({
  payment_intent: z.string(),
  amount: whole.pipe(z.int().min(1)).optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata,
})
