import * as z from 'zod'
import { notConfigured } from '../errors.ts'
import type { Sealer } from '../seal.ts'
import { Mail } from './port.ts'
import { mailPlace } from './queued.ts'

/** A message of the queue of mails. For one release it may be in the clear too, as the release before this one sent it. */
export const QueuedMail = z.union([z.object({ sealed: z.string() }), Mail])

/**
 * The mail in a message of the queue.
 * @param seals undefined without WALLET_ENCRYPTION_KEY
 * @throws PlatformError 503 without the key; Error for what this platform's key did not seal
 */
export async function openMail(
  message: z.output<typeof QueuedMail>,
  seals: Sealer | undefined,
): Promise<Mail> {
  if (!('sealed' in message)) return message
  if (seals === undefined) throw notConfigured('Sending mail', ['WALLET_ENCRYPTION_KEY'])
  const text = await seals.open(message.sealed, mailPlace)
  if (text === undefined) throw new Error('the mail was not sealed by the key of this platform')
  return Mail.parse(JSON.parse(text))
}
