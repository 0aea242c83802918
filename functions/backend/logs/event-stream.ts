import type { FollowedEvents } from '../../../shared/logs/context.ts'

const encoder = new TextEncoder()

/** Milliseconds after which a client whose stream ended comes back. */
const retry = 'retry: 1000\n\n'

/** A comment: proxies on the way see that the connection is alive. */
const alive = ': still here\n\n'

function encode(events: FollowedEvents): Uint8Array {
  if (events.length === 0) return encoder.encode(alive)
  let text = ''
  for (const { id, event } of events) {
    if (id !== undefined) text += `id: ${id}\n`
    text += `event: line\ndata: ${JSON.stringify(event)}\n\n`
  }
  return encoder.encode(text)
}

/**
 * Answers with events as the reader takes them: the next ones are asked for when the last ones are on their way.
 * @param end is called once, when the events are over or the reader has gone
 */
export function eventStream(
  events: AsyncGenerator<FollowedEvents, void>,
  end: () => Promise<void>,
): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(retry))
      },
      async pull(controller) {
        try {
          const next = await events.next()
          if (next.done !== true) {
            controller.enqueue(encode(next.value))
            return
          }
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        await end()
      },
      async cancel() {
        await end()
        await events.return()
      },
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
