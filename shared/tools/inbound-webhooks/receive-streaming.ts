import { createHash } from 'node:crypto'
import { notConfigured } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import { isTimeSigned } from '#shared/platform/webhook-signature.ts'
import { badSignature, eventRetentionSeconds, objectIn, readEvent, textIn } from './event.ts'
import { streamingEventRows } from './rows.ts'

/** The maximum length of an event's id and kind; longer texts are truncated. */
const longestText = 255

/**
 * Handles a signed event of the streaming provider and stores its type and stream. A repeated event does not change
 * the stored one.
 * @param given.signature the header webhook-signature
 * @param now epoch milliseconds
 * @throws PlatformError 503 without the secret, 401 for an invalid signature, 400 for an invalid event
 */
export async function receiveStreamingEvent(
  {
    table,
    log,
    streamingSecret,
  }: Pick<Context, 'table' | 'log'> & { streamingSecret: string | undefined },
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
  const row = { eventId, type, streamId, at: isoOf(now) }
  const expiresAt = epochSeconds(now) + eventRetentionSeconds
  try {
    await table.put(streamingEventRows.put({ eventId }, row, { expiresAt }), absent(now))
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
  log.info('streaming event', { eventId, type })
}

/** Providers put the stream into different fields. */
function streamOf(event: Record<string, unknown>): string | undefined {
  for (const name of ['object', 'stream', 'data']) {
    const id = textIn(objectIn(event, name), 'id', longestText)
    if (id !== undefined) return id
  }
  return undefined
}
