import { respondWithEvents, type ServerSentEvent, unbuffered } from '#shared/http/event-stream.ts'
import { within } from '#shared/platform/within.ts'

/** Proxies close connections that are silent for 30 seconds. */
const heartbeatMs = 15_000

/**
 * Streams a turn's events, and comments in between.
 * @param input.id the id of the turn's message
 * @param input.left called when the reader disconnects; the function stays alive until it resolves
 */
export function turnStream(
  events: AsyncIterator<ServerSentEvent | undefined>,
  { id, left }: { id: string; left: () => Promise<void> },
): Response {
  let pending: Promise<IteratorResult<ServerSentEvent | undefined>> | undefined
  let sentAt = Date.now()
  return respondWithEvents(
    {
      async pull(out) {
        for (;;) {
          pending ??= events.next()
          const next = await within(pending, heartbeatMs)
          if (next !== undefined) pending = undefined
          const event = next?.value
          if (next?.done === true) return out.end()
          if (event !== undefined) {
            sentAt = Date.now()
            return out.send(event)
          }
          if (Date.now() - sentAt < heartbeatMs) continue
          sentAt = Date.now()
          return out.keepAlive()
        }
      },
      cancel: left,
    },
    { ...unbuffered, 'x-message-id': id },
  )
}
