import type { StartedCompletion } from '#shared/ai/gateway/completions/complete.ts'
import { type ErrorForm, errorBody, toPlatformError } from '#shared/http/errors.ts'
import { type EventSource, type EventWriter, respondWithEvents } from '#shared/http/event-stream.ts'
import { respondThen } from '#shared/http/respond-then.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Log } from '#shared/platform/log.ts'
import type { KeepAlive } from './keep-alive.ts'

export type WholeCompletion = Extract<StartedCompletion, { kind: 'whole' }>

export interface Connection {
  log: Log
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** The form of an error in the middle of a stream. */
  errorForm: ErrorForm
  keepAlive: KeepAlive
}

/**
 * Sends the response of a completion. `write` makes the body of a whole answer. The usage is recorded, or queued,
 * before the end of the response is sent, so that a crash of this process loses no acknowledged call.
 */
export async function respond(
  completion: StartedCompletion,
  connection: Connection,
  write: (whole: WholeCompletion) => object,
): Promise<Response> {
  if (completion.kind === 'whole') {
    await completion.settle()
    return respondThen(write(completion), completion.followed)
  }
  return respondWithEvents(chunkSource(completion, connection), eventHeaders)
}

/** OpenAI's, which its clients know. */
export const eventHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

/** A reader that reads nothing for this long has left, although its connection is still open. */
const stalledMs = 120_000

/** Well below the function's timeout of 900 s, which would prevent the call from being recorded. */
const longestMs = 840_000

/** Returns the time that a call has left, in milliseconds. */
export function remainingMs({ keepAlive }: Connection): number {
  return longestMs - (performance.now() - keepAlive.began)
}

export function chunkSource(
  { chunks, settle, followed, leave }: Extract<StartedCompletion, { kind: 'stream' }>,
  connection: Connection,
): EventSource {
  const { log, signal, errorForm, keepAlive } = connection
  let out: EventWriter
  let left: Promise<void> | undefined
  let stalled: NodeJS.Timeout | undefined
  let last: Record<string, unknown> | undefined

  const sendError = (thrown: unknown) => {
    const failure = toPlatformError(thrown)
    log.warn('a stream broke off', { code: failure.code, error: failure.cause })
    out.send({ event: 'error', data: errorBody(failure, errorForm) })
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
      keepAlive.write = () => out.keepAlive()
      signal.addEventListener('abort', gone, { once: true })
      if (signal.aborted) gone()
    },
    async pull() {
      clearTimeout(stalled)
      if (left !== undefined) return left
      let failure: unknown
      try {
        for (;;) {
          const next = await chunks.next()
          if (left !== undefined || next.done) break
          const ready = last
          last = ends(next.value) || last !== undefined ? next.value : undefined
          const data = last === undefined ? next.value : ready
          if (data === undefined) continue
          stalled = setTimeout(() => void cutOff(), stalledMs)
          keepAlive.sent()
          return out.send({ data })
        }
      } catch (thrown) {
        failure = thrown
      }
      clearTimeout(end)
      // The end of the stream is sent only after the call is recorded or queued.
      await (left ?? settle())
      if (left === undefined) {
        if (last !== undefined) out.send({ data: last })
        if (failure === undefined) out.write('data: [DONE]\n\n')
        else sendError(failure)
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

/** True if a chunk has a finish reason. */
function ends({ choices }: Record<string, unknown>): boolean {
  return (choices as { finish_reason?: unknown }[]).some(
    ({ finish_reason }) => typeof finish_reason === 'string',
  )
}

export function tooSlow(): PlatformError {
  return new PlatformError('bad-gateway', 'The response was read too slowly', {
    code: 'AI_INTERRUPTED',
  })
}
