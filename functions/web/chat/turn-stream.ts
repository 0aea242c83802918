import {
  respondWithEvents,
  type ServerSentEvent,
  unbuffered,
} from '../../../shared/http/event-stream.ts'
import { within } from './within.ts'

/** Connections that say nothing for half a minute are closed on the way. */
const heartbeatMs = 15_000

/**
 * Answers with a turn's events as they come, and with comments while none does.
 * @param input.id of the turn's question
 * @param input.left is called when the reader has gone; the function lives until it resolves
 */
export function turnStream(
  events: AsyncIterator<ServerSentEvent | undefined>,
  { id, left }: { id: string; left: () => Promise<void> },
): Response {
  let pending: Promise<IteratorResult<ServerSentEvent | undefined>> | undefined
  let saidAt = Date.now()
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
            saidAt = Date.now()
            return out.send(event)
          }
          if (Date.now() - saidAt < heartbeatMs) continue
          saidAt = Date.now()
          return out.keepAlive()
        }
      },
      cancel: left,
    },
    { ...unbuffered, 'x-message-id': id },
  )
}
