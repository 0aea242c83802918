import { respondWithEvents } from '../../../shared/http/event-stream.ts'
import type { FollowedEvents } from '../../../shared/logs/context.ts'

/** Milliseconds after which a client whose stream ended comes back. */
const retry = 'retry: 1000\n\n'

/**
 * Answers with an agent's lines as the reader takes them.
 * @param end is called when the events are over or the reader has gone
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
