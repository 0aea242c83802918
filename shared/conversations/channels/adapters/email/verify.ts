import { PlatformError } from '#shared/platform/errors.ts'
import type { AdapterContext, Inbound, OpenChannel } from '../adapter.ts'
import { handedOver } from './handed-over.ts'

/**
 * Accepts the signed requests of the job that reads received mails, and GET requests, which ask whether an address
 * exists.
 * @throws PlatformError 401 for any other request
 */
export async function verifyEmail(
  { encryptionKey, now }: Pick<AdapterContext, 'encryptionKey' | 'now'>,
  { id }: Pick<OpenChannel, 'id'>,
  inbound: Inbound,
): Promise<void> {
  if (inbound.method === 'GET') return
  const mail =
    encryptionKey === undefined ? undefined : await handedOver(encryptionKey, inbound, now)
  if (mail?.channelId !== id)
    throw new PlatformError('unauthorized', 'Mails are received by SMTP at the channel’s address')
}

/** Answers the listener of one machine, which accepts mails only for addresses that exist. */
export function answerLookUp(
  { settings }: OpenChannel,
  { method, query }: Inbound,
): Response | undefined {
  if (method !== 'GET') return undefined
  const exists = settings['address']?.split('@')[1] === query.get('domain')
  return new Response(null, { status: exists ? 204 : 404 })
}
