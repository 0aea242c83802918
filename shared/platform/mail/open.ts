import { notConfigured } from '../errors.ts'
import type { Sealer } from '../seal.ts'
import type { Mail } from './port.ts'
import { mail, mailPlace, type QueuedMail } from './topic.ts'

/**
 * Decrypts the mail in a queue's message.
 * @param seals undefined without WALLET_ENCRYPTION_KEY
 * @throws PlatformError 503 without the key; Error if this platform's key did not seal the message
 */
export async function openMail(message: QueuedMail, seals: Sealer | undefined): Promise<Mail> {
  if (!('sealed' in message)) return message
  if (seals === undefined) throw notConfigured('Sending mail', ['WALLET_ENCRYPTION_KEY'])
  const text = await seals.open(message.sealed, mailPlace)
  if (text === undefined) throw new Error('the mail was not sealed by the key of this platform')
  return mail().parse(JSON.parse(text))
}
