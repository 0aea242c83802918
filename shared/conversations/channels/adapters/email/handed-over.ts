import * as z from 'zod'
import { hmacSha256, sha256Hex } from '#shared/platform/crypto.ts'
import {
  isSignedWebhook,
  signedHeaders,
  webhookHeaders,
} from '#shared/platform/webhook-signature.ts'
import type { ChannelEvent, Inbound } from '../adapter.ts'
import { jsonText } from '../json-body.ts'
import { type ReceivedMail, readMail } from './read.ts'

/** The header with the data about a mail. The body of the request is the mail itself. */
const header = 'x-received-mail'

const receipt = () =>
  z.object({
    channelId: z.string(),
    key: z.string(),
    envelopeFrom: z.string(),
    verdicts: z.object({
      spf: z.string(),
      dkim: z.string(),
      dmarc: z.string(),
      spam: z.string(),
      virus: z.string(),
    }),
    at: z.number(),
    sha256: z.string(),
  })

/** A mail for one channel. Its signature is not valid for another channel. */
type HandedOver = ReceivedMail & { channelId: string }

/**
 * Returns the headers for the request that hands a mail over to the receiver of channels. The key of their signature is
 * derived from WALLET_ENCRYPTION_KEY.
 */
export async function handOverHeaders(
  encryptionKey: string,
  { raw, ...about }: HandedOver,
  now: number,
): Promise<Record<string, string>> {
  const body = JSON.stringify({ ...about, sha256: await sha256Hex(raw) })
  return {
    ...webhookHeaders(await secretOf(encryptionKey), { id: about.key, body, now }),
    'content-type': 'message/rfc822',
    [header]: Buffer.from(body).toString('base64url'),
  }
}

/** Returns a mail that the job handed over; undefined if the request is not signed or another body came with it. */
export async function handedOver(
  encryptionKey: string,
  inbound: Inbound,
  now: number,
): Promise<HandedOver | undefined> {
  const body = Buffer.from(inbound.headers.get(header) ?? '', 'base64url')
  const signed = signedHeaders(inbound.headers)
  const secret = await secretOf(encryptionKey)
  if (signed.id === '' || !isSignedWebhook(secret, { ...signed, body, now })) return undefined
  const mail = mailIn(inbound)
  return mail !== undefined && mail.sha256 === (await sha256Hex(mail.raw)) ? mail : undefined
}

/** Returns the message in a mail that the job handed over; none if the mail is ignored. */
export async function eventsIn(inbound: Inbound): Promise<ChannelEvent[]> {
  const mail = mailIn(inbound)
  const read = mail && (await readMail(mail))
  return read !== undefined && 'event' in read ? [read.event] : []
}

/** Returns the mail in a request that was checked before. */
function mailIn({ headers, body }: Inbound): (HandedOver & { sha256: string }) | undefined {
  const text = Buffer.from(headers.get(header) ?? '', 'base64url').toString('utf8')
  const about = receipt().safeParse(jsonText(text))
  return about.success ? { ...about.data, raw: new Uint8Array(body) } : undefined
}

async function secretOf(encryptionKey: string): Promise<string> {
  const key = await hmacSha256(encryptionKey, 'received-mails')
  return `whsec_${Buffer.from(key).toString('base64')}`
}
