import { createHash } from 'node:crypto'
import { notConfigured } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { ConditionFailed, type Table } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import { isTimeSigned } from '../platform/webhook-signature.ts'
import { badSignature, keptSeconds, objectIn, readEvent, textIn } from './event.ts'
import { streamingEventRows } from './rows.ts'

/** Ids and kinds of events are short; a longer text is cut. */
const longestText = 255

export interface StreamingContext {
  table: Table
  log: Log
  /** STREAMING_WEBHOOK_SECRET. */
  streamingSecret: string | undefined
}

/**
 * Takes a signed event of the streaming provider and keeps what happened to which stream. One that comes again is kept
 * as it came first.
 * @param given.signature the header webhook-signature
 * @param now epoch milliseconds
 * @throws PlatformError 503 without the secret, 401 for what is not signed by it, 400 for what is no event
 */
export async function receiveStreamingEvent(
  { table, log, streamingSecret }: StreamingContext,
  { signature, body }: { signature: string; body: Uint8Array },
  now = Date.now(),
): Promise<void> {
  if (streamingSecret === undefined)
    throw notConfigured('The receiver of streaming events', ['STREAMING_WEBHOOK_SECRET'])
  if (!isTimeSigned(streamingSecret, { signature, body, now })) throw badSignature()
  const event = readEvent(body)
  const eventId =
    textIn(event, 'id', longestText) ?? createHash('sha256').update(body).digest('hex')
  const type = textIn(event, 'type', longestText) ?? textIn(event, 'event', longestText) ?? null
  const streamId = streamOf(event) ?? null
  const row = { eventId, type, streamId, at: new Date(now).toISOString() }
  const expiresAt = Math.floor(now / 1000) + keptSeconds
  try {
    await table.put(streamingEventRows.put({ eventId }, row, { expiresAt }), absent(now))
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
  log.info('streaming event', { eventId, type })
}

/** Providers name the stream in different places. */
function streamOf(event: Record<string, unknown>): string | undefined {
  for (const name of ['object', 'stream', 'data']) {
    const id = textIn(objectIn(event, name), 'id', longestText)
    if (id !== undefined) return id
  }
  return undefined
}
