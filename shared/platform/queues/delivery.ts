import type { SQSRecord } from 'aws-lambda'
import { ulid } from 'ulid'
import { envelope } from './envelope.ts'

/** One handing out of a message; the next one differs in `receives` only. */
export interface Delivery {
  id: string
  /** Of the request or the tick that began all this. */
  requestId: string
  /** Who asked in the first place, as describeActor says it. */
  askedBy: string
  /** A ULID made from the message's id: what is named by it gets the same id each time the message is handled. */
  seed: string
  /** How many times it was handed out, this one included. */
  receives: number
  /** Not judged yet; undefined for what is no JSON. */
  body: unknown
}

/**
 * Reads what a queue hands out. A message without an envelope is AWS's own, or of the release before envelopes: it is
 * known by the id that the queue gave it, and counts as the platform's.
 */
export function readDelivery(record: SQSRecord): Delivery {
  const receives = Number(record.attributes.ApproximateReceiveCount)
  const content = parseJson(record.body)
  const enveloped = envelope().safeParse(content)
  if (enveloped.success) {
    const { id, cause, actor, body } = enveloped.data
    return { id, requestId: cause, askedBy: actor, seed: id, receives, body }
  }
  const { messageId } = record
  return {
    id: messageId,
    requestId: messageId,
    askedBy: 'platform',
    seed: seedOf(messageId, Number(record.attributes.SentTimestamp)),
    receives,
    body: content,
  }
}

/** What JSON.parse throws quotes the text, which must not come into a log. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A ULID with the time of sending and the first 16 hexadecimal digits of a UUID. */
function seedOf(messageId: string, sentAt: number): string {
  const digits = messageId.replaceAll('-', '')
  let next = 0
  return ulid(sentAt, () => Number.parseInt(digits[next++] ?? '0', 16) / 16)
}
