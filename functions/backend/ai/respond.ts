import type { Completion } from '../../../shared/ai/completions/complete.ts'
import { answerThen } from '../../../shared/http/answer-then.ts'
import { type ErrorForm, errorBody, toPlatformError } from '../../../shared/http/errors.ts'
import type { Log } from '../../../shared/platform/log.ts'

const encoder = new TextEncoder()

export type WholeCompletion = Extract<Completion, { kind: 'whole' }>

export interface Connection {
  log: Log
  /** Aborted once the caller has gone. */
  signal: AbortSignal
  /** Says that the caller has gone, where its leaving shows only here. */
  leave(): void
  /** How an error in the middle of a stream is written. */
  errorForm: ErrorForm
}

/**
 * The response of a completion, a whole one as `write` puts it. Its last byte is out before its use is recorded, and
 * the body ends only after that: a function that has ended its answer may be frozen at any moment.
 */
export function respond(
  completion: Completion,
  connection: Connection,
  write: (whole: WholeCompletion) => object,
): Response {
  if (completion.kind === 'whole') return answerThen(write(completion), completion.settle)
  return new Response(eventStream(completion, connection), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
  })
}

function eventStream(
  { chunks, settle }: Extract<Completion, { kind: 'stream' }>,
  { log, signal, leave, errorForm }: Connection,
): ReadableStream<Uint8Array> {
  let cancelled = false
  // Nobody may read any more, so nothing else would end the books.
  signal.addEventListener('abort', () => void settle(), { once: true })
  return new ReadableStream(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text))
        try {
          const next = await chunks.next()
          if (!next.done) return send(`data: ${JSON.stringify(next.value)}\n\n`)
          send('data: [DONE]\n\n')
        } catch (thrown) {
          if (!signal.aborted) {
            const failure = toPlatformError(thrown)
            log.warn('stream broke off', { code: failure.code, error: failure.cause })
            send(`event: error\ndata: ${JSON.stringify(errorBody(failure, errorForm))}\n\n`)
          }
        }
        await settle()
        if (!cancelled) controller.close()
      },
      async cancel() {
        cancelled = true
        leave()
        await chunks.return(undefined)
        await settle()
      },
    },
    { highWaterMark: 0 },
  )
}
