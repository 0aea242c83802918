import type { FollowedEvents } from '#shared/agents/logs/context.ts'
import { respondWithEvents } from '#shared/http/event-stream.ts'

/** Milliseconds until a client reconnects after the stream ends. */
const retry = 'retry: 1000\n\n'

/**
 * Streams an agent's lines at the speed of the reader.
 * @param end called when the events end or the reader disconnects
 */
export function lineStream(
  events: AsyncGenerator<FollowedEvents, void>,
  end: () => Promise<void>,
): Response {
  return respondWithEvents({
    start: (out) => out.write(retry),
    async pull(out) {
      let next: IteratorResult<FollowedEvents, void> | undefined
      try {
        next = await events.next()
      } finally {
        if (next === undefined || next.done === true) await end()
      }
      if (next.done === true) out.end()
      else if (next.value.length === 0) out.keepAlive()
      else out.send(...next.value.map(({ id, event }) => ({ id, event: 'line', data: event })))
    },
    async cancel() {
      await end()
      await events.return()
    },
  })
}
