import { Stripe } from 'stripe'
import { PlatformError } from '#shared/platform/errors.ts'
import { boundedFetch } from '#shared/platform/http-client/fetch.ts'
import { requireSecure } from '#shared/platform/http-client/secure.ts'
import { expandableId } from './events/expandable-id.ts'
import type { CheckoutRequest, PaymentProvider, PaymentToPayBack } from './provider.ts'

export interface StripeSettings {
  deployed: boolean
  /** The origin of the API, without `/v1`. */
  apiUrl: string
  secretKey: string
}

/**
 * The timeout of one attempt. With one retry and the delay before it, a call stays below a function's limit of 29 s.
 */
const totalMs = 10_000

/** The maximum size of a response. A page of 100 subscriptions has a few hundred kilobytes. */
const maxBytes = 4_194_304

/** Returns the payment provider on Stripe's API, in the version of the SDK. */
export function stripeProvider({ deployed, apiUrl, secretKey }: StripeSettings): PaymentProvider {
  const { hostname, port, protocol } = requireSecure(new URL(apiUrl), deployed)
  const http = protocol === 'http:'
  const stripe = new Stripe(secretKey, {
    apiVersion: '2026-10-28.endive',
    httpClient: Stripe.createFetchHttpClient(fetchBy(boundedFetch({ totalMs, maxBytes }))),
    host: hostname,
    port: port || (http ? '80' : '443'),
    protocol: http ? 'http' : 'https',
    timeout: totalMs,
    maxNetworkRetries: 1,
    telemetry: false,
  })

  return {
    createCheckout: (checkout) =>
      callProvider(async () => {
        const { customerId: _, ...withoutCustomer } = checkout
        const ask = (request: CheckoutRequest, idempotencyKey: string) =>
          stripe.checkout.sessions.create(paramsOf(request), { idempotencyKey })
        const session =
          (await unlessUnknown(() => ask(checkout, checkout.order.id), 'customer')) ??
          (await ask(withoutCustomer, `${checkout.order.id}-anew`))
        return { id: textOf(session.id), url: textOf(session.url) }
      }),
    openPortal: ({ customerId, returnUrl }) =>
      callProvider(async () => {
        const params = { customer: customerId, return_url: returnUrl }
        const portal = await unlessUnknown(
          () => stripe.billingPortal.sessions.create(params),
          'customer',
        )
        return portal && textOf(portal.url)
      }),
    cancelSubscription: (id) =>
      callProvider(async () => {
        await unlessMissing(() => stripe.subscriptions.cancel(id))
      }),
    payBack: (payment) =>
      callProvider(async () => {
        const intents = await unlessMissing(() => intentsOf(stripe, payment))
        for (const intent of intents ?? [])
          await unlessPaidBack(() =>
            stripe.refunds.create(
              {
                payment_intent: intent,
                reason: 'duplicate',
                metadata: { order: payment.orderId },
              },
              { idempotencyKey: `refund-${intent}` },
            ),
          )
        return intents !== undefined && intents.length > 0
      }),
    findPayment: (id) =>
      callProvider(async () => {
        const intent = await unlessMissing(() => stripe.paymentIntents.retrieve(id))
        if (intent === undefined) return undefined
        const { customer, metadata, created: createdAt } = intent
        const subscriptionId = await subscriptionOf(stripe, id)
        const customerId = expandableId.parse(customer ?? undefined)
        return { customerId, subscriptionId, metadata, createdAt }
      }),
    findSubscription: (id) =>
      callProvider(() => unlessMissing(() => stripe.subscriptions.retrieve(id))),
    subscriptions: (after) =>
      callProvider(async () => {
        const starting = after === undefined ? {} : { starting_after: after }
        const page = await stripe.subscriptions.list({ status: 'all', limit: 100, ...starting })
        return { items: page.data, hasMore: page.has_more }
      }),
  }
}

/** The SDK's type requires all of `fetch`, but the SDK passes only strings and URLs, never a Request. */
function fetchBy(send: ReturnType<typeof boundedFetch>): typeof fetch {
  return (target, init) => send(String(target), init)
}

function paramsOf(checkout: CheckoutRequest): Stripe.Checkout.SessionCreateParams {
  const { order, title, customerId, successUrl, cancelUrl } = checkout
  const metadata = { order: order.id, user: order.userId }
  const isOnce = order.buys.kind === 'credits'
  return {
    mode: isOnce ? 'payment' : 'subscription',
    client_reference_id: order.userId,
    success_url: successUrl,
    cancel_url: cancelUrl,
    metadata,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'gbp',
          unit_amount: order.pence,
          product_data: { name: title },
          ...(!isOnce && { recurring: { interval: 'month' } }),
        },
      },
    ],
    ...(isOnce ? { payment_intent_data: { metadata } } : { subscription_data: { metadata } }),
    ...(customerId !== undefined && { customer: customerId }),
  }
}

/** Returns the payment intents of a payment's invoice; for a subscription, of its latest invoice. */
async function intentsOf(
  stripe: Stripe,
  { paymentIntent, invoiceId, subscriptionId }: PaymentToPayBack,
): Promise<string[]> {
  if (paymentIntent !== undefined) return [paymentIntent]
  const latest =
    invoiceId === undefined && subscriptionId !== undefined
      ? (await stripe.subscriptions.retrieve(subscriptionId)).latest_invoice
      : undefined
  const invoice = invoiceId ?? expandableId.parse(latest ?? undefined)
  if (invoice === undefined) return []
  const { data } = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })
  return data.flatMap(({ payment }) => expandableId.parse(payment.payment_intent) ?? [])
}

/** Returns the subscription of the invoice that a payment has paid. */
async function subscriptionOf(stripe: Stripe, intent: string): Promise<string | undefined> {
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: intent },
    expand: ['data.invoice'],
    limit: 1,
  })
  const invoice = data[0]?.invoice
  if (invoice === undefined || typeof invoice === 'string' || !('parent' in invoice))
    return undefined
  return expandableId.parse(invoice.parent?.subscription_details?.subscription)
}

/** @throws PlatformError 502 if the provider or the connection fails */
async function callProvider<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof PlatformError) throw cause
    throw new PlatformError('bad-gateway', 'The payment provider did not answer as expected', {
      cause,
    })
  }
}

/** Returns undefined if the provider responds 404. */
async function unlessMissing<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return undefined
    throw error
  }
}

/** Ignores the error for a payment that is already refunded, by a person or by a call whose response was lost. */
async function unlessPaidBack(payBack: () => Promise<unknown>): Promise<void> {
  try {
    await payBack()
  } catch (error) {
    const isDone =
      error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded'
    if (!isDone) throw error
  }
}

/** Returns undefined if an object in a request field does not exist at the provider. */
async function unlessUnknown<T>(ask: () => Promise<T>, field: string): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    const isUnknown =
      error instanceof Stripe.errors.StripeError &&
      error.code === 'resource_missing' &&
      error.param === field
    if (isUnknown) return undefined
    throw error
  }
}

function textOf(value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw new PlatformError('bad-gateway', 'The payment provider’s response is incomplete')
  return value
}
