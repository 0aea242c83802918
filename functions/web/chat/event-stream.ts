import { within } from './within.ts'

export interface StreamEvent {
  event: string
  data: unknown
}

/** Connections that say nothing for half a minute are closed on the way. */
const heartbeatMs = 15_000

const encoder = new TextEncoder()

function encode({ event, data }: StreamEvent): Uint8Array {
  return encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

/**
 * Answers with server-sent events as they come, and with comments while none does.
 * @param leave is called when the reader has gone; the events must end then
 */
export function eventStream(events: AsyncIterator<StreamEvent>, leave: () => void): Response {
  let pending: Promise<IteratorResult<StreamEvent>> | undefined
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      pending ??= events.next()
      const next = await within(pending, heartbeatMs)
      if (next === undefined) {
        controller.enqueue(encoder.encode(': still here\n\n'))
        return
      }
      pending = undefined
      if (next.done === true) controller.close()
      else controller.enqueue(encode(next.value))
    },
    async cancel() {
      leave()
      await pending?.catch(() => undefined)
      await events.return?.()
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
