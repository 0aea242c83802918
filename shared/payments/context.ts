import type { Context } from '../identity/context.ts'
import type { ProviderActor } from '../identity/actor.ts'
import { notConfigured } from '../platform/errors.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { PaymentProvider } from './provider.ts'
import { stripeProvider } from './stripe.ts'

export interface PaymentSettings {
  deployed: boolean
  PAYMENTS_API_URL: string
  PAYMENTS_SECRET_KEY?: string | undefined
}

/** What buying stands on. */
export interface PaymentServices {
  /** Absent without its key. */
  provider: PaymentProvider | undefined
  /** What the provider's events are signed with, whole. */
  webhookSecret: string | undefined
  /** The public address of the web surface. */
  webUrl: string
}

/** What an event of the provider is applied by. */
export interface EventContext
  extends PaymentServices, Pick<Context, 'table' | 'log' | 'requestId'> {
  actor: ProviderActor
  queues: Queues<'entitlements' | 'webhook-deliveries'>
}

/** The payment provider, where the settings name its key. */
export function configuredProvider(settings: PaymentSettings): PaymentProvider | undefined {
  const { deployed, PAYMENTS_API_URL: apiUrl, PAYMENTS_SECRET_KEY: secretKey } = settings
  return secretKey === undefined ? undefined : stripeProvider({ deployed, apiUrl, secretKey })
}

/**
 * The provider, for selling: what could not be given, because no event would say that it was paid, is not sold.
 * @throws PlatformError 503 with what is missing
 */
export function sellingProvider({ provider, webhookSecret }: PaymentServices): PaymentProvider {
  if (provider === undefined) throw notConfigured('Payments', ['PAYMENTS_SECRET_KEY'])
  if (webhookSecret === undefined) throw notConfigured('Payments', ['PAYMENTS_WEBHOOK_SECRET'])
  return provider
}
