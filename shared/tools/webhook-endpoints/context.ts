import { notConfigured } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import { type Sealer, sealer } from '#shared/platform/seal.ts'

/** @throws PlatformError 503 without a key */
export function sealerOf({ encryptionKey }: Can<'encryptionKey'>): Sealer {
  if (encryptionKey === undefined) throw notConfigured('Webhooks', ['WALLET_ENCRYPTION_KEY'])
  return sealer(encryptionKey)
}

/** Returns the context that an endpoint's secret is sealed with. */
export function secretPlace(endpointId: string): string {
  return `webhook-endpoint#${endpointId}#secret`
}
