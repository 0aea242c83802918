import { notConfigured } from '#shared/platform/errors.ts'
import type { ProviderActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { PaymentProvider } from './provider.ts'
import { stripeProvider } from './stripe.ts'

export interface PaymentSettings {
  deployed: boolean
  PAYMENTS_API_URL: string
  PAYMENTS_SECRET_KEY?: string | undefined
}

export interface PaymentServices {
  /** Undefined without PAYMENTS_SECRET_KEY. */
  provider: PaymentProvider | undefined
  /** The full secret that signs the provider's events. */
  webhookSecret: string | undefined
  /** The public URL of the web surface. */
  webUrl: string
}

export interface EventContext
  extends PaymentServices, Pick<Context, 'table' | 'log' | 'requestId'> {
  actor: ProviderActor
  queues: Queues<'entitlements' | 'webhook-deliveries'>
}

/** Returns the payment provider, or undefined without its key. */
export function configuredProvider(settings: PaymentSettings): PaymentProvider | undefined {
  const { deployed, PAYMENTS_API_URL: apiUrl, PAYMENTS_SECRET_KEY: secretKey } = settings
  return secretKey === undefined ? undefined : stripeProvider({ deployed, apiUrl, secretKey })
}

/**
 * Returns the provider for a purchase. Requires the webhook secret too: without payment events, a purchase could not be
 * granted.
 * @throws PlatformError 503 with the missing settings
 */
export function sellingProvider({ provider, webhookSecret }: PaymentServices): PaymentProvider {
  if (provider === undefined) throw notConfigured('Payments', ['PAYMENTS_SECRET_KEY'])
  if (webhookSecret === undefined) throw notConfigured('Payments', ['PAYMENTS_WEBHOOK_SECRET'])
  return provider
}
