import { PlatformError } from '#shared/platform/errors.ts'
import { isSignedWebhook, signedHeaders } from '#shared/platform/webhook-signature.ts'
import type { Inbound, OpenChannel } from '../adapter.ts'

/**
 * Checks a signature according to Standard Webhooks, at most five minutes old.
 * @throws PlatformError 401
 */
export function verifyWebhook(
  { secrets }: OpenChannel,
  { headers, body }: Inbound,
  now: number,
): void {
  const signed = signedHeaders(headers)
  if (signed.id === '' || !isSignedWebhook(secrets['secret'] ?? '', { ...signed, body, now }))
    throw new PlatformError('unauthorized', 'The webhook is not signed by the channel’s secret')
}
