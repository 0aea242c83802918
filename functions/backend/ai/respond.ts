import { PassedOn } from '#shared/ai/gateway/answers/passed-on.ts'
import type { StreamEvent } from '#shared/ai/gateway/completions/call.ts'
import type {
  StartedCall,
  StreamedCall,
  WholeCall,
} from '#shared/ai/gateway/completions/complete.ts'
import { type ErrorForm, errorBody, toPlatformError } from '#shared/http/errors.ts'
import { type EventSource, type EventWriter, respondWithEvents } from '#shared/http/event-stream.ts'
import { respondTextThen, respondThen } from '#shared/http/respond-then.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Log } from '#shared/platform/log.ts'
import type { KeepAlive } from './keep-alive.ts'

export interface Connection {
  log: Log
  requestId: string
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** The form of an error in the middle of a stream. */
  errorForm: ErrorForm
  keepAlive: KeepAlive
  /** Writes the event of a stream that failed before its first event. Default: an event `error`. */
  failed?: ((error: PlatformError) => StreamEvent) | undefined
}

/**
 * Sends the response of a call. `write` makes the body of a whole answer. The usage is recorded, or queued,
 * before the end of the response is sent, so that a crash of this process loses no acknowledged call.
 */
export async function respond<Answer>(
  call: StartedCall<Answer>,
  connection: Connection,
  write: (whole: WholeCall<Answer>) => object,
): Promise<Response> {
  if (call.kind === 'whole') {
    await call.settle()
    const written = write(call)
    if (!(written instanceof PassedOn)) return respondThen(written, call.followed)
    const headers = { 'content-type': written.contentType }
    return respondTextThen(written.text, call.followed, { headers })
  }
  const headers =
    call.contentType === undefined ? eventHeaders : { 'content-type': call.contentType }
  return respondWithEvents(eventsOf(call, connection), headers)
}

/** OpenAI's, which its clients know. */
export const eventHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

/** A reader that reads nothing for this time counts as disconnected, although its connection is open. */
const stalledMs = 120_000

/** Well below the function's timeout of 900 s, which would prevent the call from being recorded. */
const longestMs = 840_000

/** Returns the time that a call has left, in milliseconds. */
export function remainingMs({ keepAlive }: Connection): number {
  return longestMs - (performance.now() - keepAlive.began)
}

/** Returns the source of the events of a streamed call, which also settles the call. */
export function eventsOf(
  { events, closing, failed, contentType, settle, followed, leave }: StreamedCall,
  connection: Connection,
): EventSource {
  const { log, requestId, signal, errorForm, keepAlive } = connection
  let out: EventWriter
  let left: Promise<void> | undefined
  let stalled: NodeJS.Timeout | undefined
  let last: StreamEvent | undefined

  const sendError = (thrown: unknown) => {
    const failure = toPlatformError(thrown)
    log.warn('a stream was interrupted', { code: failure.code, error: failure.cause })
    // Bytes have no form of an error, so the response breaks off.
    if (contentType !== undefined) out.fail(failure)
    else
      out.send(
        failed?.(failure) ?? { event: 'error', data: errorBody(failure, errorForm, requestId) },
      )
  }
  const send = (event: StreamEvent) => {
    if (event.bytes === undefined) out.send(event)
    else out.writeBytes(event.bytes)
  }
  const goOn = () => (left ??= leave())
  const close = () => {
    clearTimeout(stalled)
    clearTimeout(end)
    out.end()
  }
  const cutOff = async () => {
    if (left === undefined) sendError(tooSlow())
    await goOn()
    close()
  }
  const end = setTimeout(() => void cutOff(), remainingMs(connection))
  const gone = () => void goOn().then(close)

  return {
    start(writer) {
      out = writer
      keepAlive.write = () => {
        if (contentType === undefined) out.keepAlive()
      }
      signal.addEventListener('abort', gone, { once: true })
      if (signal.aborted) gone()
    },
    async pull() {
      clearTimeout(stalled)
      if (left !== undefined) return left
      let failure: unknown
      try {
        for (;;) {
          const next = await events.next()
          if (left !== undefined || next.done) break
          const ready = last
          last = next.value.ends || last !== undefined ? next.value : undefined
          const event = last === undefined ? next.value : ready
          if (event === undefined) continue
          stalled = setTimeout(() => void cutOff(), stalledMs)
          keepAlive.sent()
          return send(event)
        }
      } catch (thrown) {
        failure = thrown
      }
      clearTimeout(end)
      // The end of the stream is sent only after the call is recorded or queued.
      await (left ?? settle())
      if (left === undefined) {
        if (last !== undefined) send(last)
        if (failure !== undefined) sendError(failure)
        else if (closing !== undefined) out.write(closing)
        await followed()
      }
      close()
    },
    async cancel() {
      await goOn()
      close()
    },
  }
}

/** Returns the error 502 AI_INTERRUPTED for a caller that reads too slowly. */
export function tooSlow(): PlatformError {
  return new PlatformError('bad-gateway', 'The response was read too slowly', {
    code: 'AI_INTERRUPTED',
  })
}
