import type { SQSRecord } from 'aws-lambda'
import { ulid } from 'ulid'
import { envelope } from './envelope.ts'

/** One delivery of a message; a redelivery differs in `receives` only. */
export interface Delivery {
  id: string
  /** Id of the request or tick that started the chain. */
  requestId: string
  /** The actor of that request, as `describeActor` formats it. */
  askedBy: string
  /** A ULID made from the message's id: ids made from it are the same each time the message is handled. */
  seed: string
  /** The number of deliveries so far, this one included. */
  receives: number
  /** Not validated; undefined if it is not JSON. */
  body: unknown
}

/**
 * Reads a record from a queue. A message without an envelope comes from AWS, or from the release before envelopes:
 * it is identified by its SQS id, and its actor is the platform.
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

/** JSON.parse quotes the text in its error, which must not reach a log. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes a ULID from the time of sending and the first 16 hexadecimal digits of a UUID. */
function seedOf(messageId: string, sentAt: number): string {
  const digits = messageId.replaceAll('-', '')
  let next = 0
  return ulid(sentAt, () => Number.parseInt(digits[next++] ?? '0', 16) / 16)
}
