import { respondWithEvents, type ServerSentEvent } from '../../../shared/http/event-stream.ts'
import { within } from './within.ts'

/** Connections that say nothing for half a minute are closed on the way. */
const heartbeatMs = 15_000

/**
 * Answers with a turn's events as they come, and with comments while none does.
 * @param leave is called when the reader has gone; the events must end then
 */
export function turnStream(events: AsyncIterator<ServerSentEvent>, leave: () => void): Response {
  let pending: Promise<IteratorResult<ServerSentEvent>> | undefined
  return respondWithEvents({
    async pull(out) {
      pending ??= events.next()
      const next = await within(pending, heartbeatMs)
      if (next === undefined) return out.keepAlive()
      pending = undefined
      if (next.done === true) out.end()
      else out.send(next.value)
    },
    async cancel() {
      leave()
      await pending?.catch(() => undefined)
      await events.return?.()
    },
  })
}
