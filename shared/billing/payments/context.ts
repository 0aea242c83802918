import { notConfigured } from '#shared/platform/errors.ts'
import type { ProviderActor } from '#shared/platform/identity/actor.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import type { HasPayments, PaymentProvider } from './provider.ts'
import { stripeProvider } from './stripe.ts'

export interface PaymentSettings {
  deployed: boolean
  PAYMENTS_API_URL: string
  PAYMENTS_SECRET_KEY?: string | undefined
}

/** A capability of verbs that sell through the payment provider, or receive its events. */
export interface TakesPayments extends HasPayments {
  /** The full secret that signs the provider's events. */
  webhookSecret: string | undefined
}

/** The context of a purchase. */
export type PurchaseContext = Pick<UserContext, 'owner' | 'table' | 'seed'> &
  Can<'webUrl'> &
  TakesPayments & {
    /** The setting STORAGE_UPGRADES. */
    sellsStorage: boolean
  }

/** The context of the verbs that handle the provider's events. */
export type EventContext = Pick<Context, 'table' | 'log' | 'requestId'> &
  Sends<'entitlements' | 'webhook-deliveries'> &
  Can<'webUrl'> &
  TakesPayments & { actor: ProviderActor }

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
export function sellingProvider({ provider, webhookSecret }: TakesPayments): PaymentProvider {
  if (provider === undefined) throw notConfigured('Payments', ['PAYMENTS_SECRET_KEY'])
  if (webhookSecret === undefined) throw notConfigured('Payments', ['PAYMENTS_WEBHOOK_SECRET'])
  return provider
}
