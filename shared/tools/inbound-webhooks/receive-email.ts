import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import {
  type Condition,
  ConditionFailed,
  type Item,
  type Table,
} from '#shared/platform/table/port.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { isSignedWebhook, type SignedHeaders } from '#shared/platform/webhook-signature.ts'
import { badSignature, eventRetentionSeconds, objectIn, readEvent, textIn } from './event.ts'
import { type EmailAction, emailSenderRows, inboundEmailRows } from './rows.ts'

/** contract.md 10: the maximum number of emails of one sender that are processed per hour. */
const maxInAnHour = 10
const hourMs = 3_600_000

const longestSubject = 998

/**
 * Handles a signed event of the email provider and returns the result. A repeated event gets the first result and is
 * counted once: one transaction records the event and counts its sender.
 * @param given.headers the headers of Standard Webhooks
 * @param now epoch milliseconds
 * @throws PlatformError 503 without the secret, 401 for an invalid signature, 400 for an invalid event
 */
export async function receiveEmail(
  ctx: Pick<Context, 'table' | 'log'> & {
    emailSecret: string | undefined
    allowedSenders: readonly string[]
  },
  { headers, body }: { headers: SignedHeaders; body: Uint8Array },
  now = Date.now(),
): Promise<EmailAction> {
  const { emailSecret, allowedSenders, log } = ctx
  if (emailSecret === undefined)
    throw notConfigured('The receiver of emails', ['EMAIL_WEBHOOK_SECRET'])
  if (!isSignedWebhook(emailSecret, { ...headers, body, now })) throw badSignature()
  const { id: eventId } = headers
  if (!/^[!-~]{1,255}$/.test(eventId))
    throw new PlatformError('bad-request', 'webhook-id must be 1 to 255 printable characters')
  const event = readEvent(body)
  const sender = senderOf(event)
  const subject =
    textIn(objectIn(event, 'data'), 'subject', longestSubject) ??
    textIn(event, 'subject', longestSubject)
  const action =
    sender !== undefined && allowedSenders.includes(sender)
      ? await take(ctx.table, { eventId, sender, subject }, now)
      : await reject(ctx.table, eventId, now)
  log.info('inbound email', { eventId, action })
  return action
}

interface Email {
  eventId: string
  sender: string
  subject: string | undefined
}

async function take(
  table: Table,
  { eventId, sender, subject }: Email,
  now: number,
): Promise<EmailAction> {
  let action: EmailAction = 'processed'
  await changeItem(
    { table, key: emailSenderRows.key({ sender }) },
    async (item) => {
      const existing = await table.get(inboundEmailRows.key({ eventId }))
      if (existing !== undefined) {
        action = inboundEmailRows.parse(existing).action
        return undefined
      }
      const lately = processedOf(item).filter((at) => at > now - hourMs)
      action = lately.length < maxInAnHour ? 'processed' : 'rate_limited'
      const processedAt = action === 'processed' ? [...lately, now] : lately
      return {
        put: emailSenderRows.attributes(
          { processedAt },
          { expiresAt: Math.ceil((Math.max(...processedAt) + hourMs) / 1000) },
        ),
        condition: asFound(item, now),
        also: {
          email: {
            put: emailItem(
              {
                eventId,
                action,
                at: isoOf(now),
                sender,
                ...(subject !== undefined && { subject }),
              },
              now,
            ),
            ...absent(now),
          },
        },
      }
    },
    { again: ['email'] },
  )
  return action
}

/**
 * Rejects a stranger's email. Only its arrival is stored, so that a repeat gets the same result even if its sender
 * has been added to the list.
 */
async function reject(table: Table, eventId: string, now: number): Promise<EmailAction> {
  const item = emailItem({ eventId, action: 'rejected', at: isoOf(now) }, now)
  try {
    await table.put(item, absent(now))
    return 'rejected'
  } catch (error) {
    if (!(error instanceof ConditionFailed) || error.item === undefined) throw error
    return inboundEmailRows.parse(error.item).action
  }
}

function emailItem(email: ReturnType<(typeof inboundEmailRows)['parse']>, now: number): Item {
  const { eventId } = email
  return inboundEmailRows.put({ eventId }, email, {
    expiresAt: epochSeconds(now) + eventRetentionSeconds,
  })
}

function processedOf(item: Item | undefined): number[] {
  return item === undefined ? [] : emailSenderRows.parse(item).processedAt
}

function asFound(item: Item | undefined, now: number): Condition & { if: string } {
  if (item === undefined) return absent(now)
  return { if: '#processedAt = :before', values: { before: processedOf(item) } }
}

/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const longestAddress = 254

/** The longest line of a header: RFC 5322, 2.1.1. */
const longestFrom = 998

/**
 * Returns the sender in an email's event, in lower case: `from` as a text or as `{email}` or `{address}`, within
 * `data` or beside it. Undefined unless it is exactly one address.
 */
function senderOf(event: Record<string, unknown>): string | undefined {
  for (const place of [objectIn(event, 'data'), event]) {
    const from = objectIn(place, 'from')
    const text =
      textIn(place, 'from', longestFrom) ??
      textIn(from, 'email', longestFrom) ??
      textIn(from, 'address', longestFrom)
    if (text !== undefined) return addressOf(text)
  }
  return undefined
}

/**
 * Returns the address of one mailbox: the part in angle brackets if it has a name, even a name that contains brackets.
 * Two mailboxes have no single sender. Only ASCII is accepted, because some other letters become ASCII in lower case.
 */
function addressOf(from: string): string | undefined {
  const text = from.trim()
  const named = /^([^]*)<([^<>]*)>$/.exec(text)
  const [name, address] = named === null ? ['', text] : [named[1] ?? '', (named[2] ?? '').trim()]
  const unquoted = name.replace(/"(?:[^"\\]|\\[^])*"/g, '')
  if (/[<>",;\r\n]/.test(unquoted)) return undefined
  if (address.length > longestAddress || !/^[!-~]+$/.test(address)) return undefined
  return /^[^@"(),:;<>\\[\]]+@[A-Za-z0-9.-]+$/.test(address) ? address.toLowerCase() : undefined
}
