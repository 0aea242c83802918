import { notConfigured } from '#shared/platform/errors.ts'
import type { GuardOptions } from '#shared/platform/http-client/guarded.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'

/** Seals the secrets of endpoints. */
export interface SecretContext {
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
}

/** The context of users' verbs. */
export interface EndpointContext extends UserContext, SecretContext {
  queues: Queues<'webhook-deliveries'>
  guard: GuardOptions
}

/** @throws PlatformError 503 without a key */
export function sealerOf({ encryptionKey }: SecretContext): Sealer {
  if (encryptionKey === undefined) throw notConfigured('Webhooks', ['WALLET_ENCRYPTION_KEY'])
  return sealer(encryptionKey)
}

/** Returns the place that an endpoint's secret is sealed for. */
export function secretPlace(endpointId: string): string {
  return `webhook-endpoint#${endpointId}#secret`
}
