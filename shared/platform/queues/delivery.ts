import type { SQSRecord } from 'aws-lambda'
import { ulid } from 'ulid'
import { envelope } from './envelope.ts'

/** A delivery of a message. A redelivery differs only in `receives`. */
export interface Delivery {
  id: string
  /** Id of the request or tick that started the chain. */
  requestId: string
  /** The actor of that request, as `describeActor` formats it. */
  askedBy: string
  /**
   * A ULID derived from the message's id, so that ids derived from it are the same each time the message is handled.
   */
  seed: string
  /** The number of deliveries so far, including this one. */
  receives: number
  /** Not validated; undefined if it is not JSON. */
  body: unknown
}

/**
 * Reads a record from a queue. A message without an envelope comes from AWS, or from a release without envelopes. It is
 * identified by its SQS id, and its actor is the platform.
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

/** Parses JSON without the error of JSON.parse, which contains the text and must not be logged. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns a ULID from the time of sending and the first 16 hexadecimal digits of a UUID. */
function seedOf(messageId: string, sentAt: number): string {
  const digits = messageId.replaceAll('-', '')
  let next = 0
  return ulid(sentAt, () => Number.parseInt(digits[next++] ?? '0', 16) / 16)
}
