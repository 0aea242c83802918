import type { Completion } from '../../../shared/ai/completions/complete.ts'
import { answerThen } from '../../../shared/http/answer-then.ts'
import { type ErrorForm, errorBody, toPlatformError } from '../../../shared/http/errors.ts'
import { PlatformError } from '../../../shared/platform/errors.ts'
import type { Log } from '../../../shared/platform/log.ts'

const encoder = new TextEncoder()

export type WholeCompletion = Extract<Completion, { kind: 'whole' }>

export interface Connection {
  log: Log
  /** Aborted once the caller has gone. */
  signal: AbortSignal
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

/** A reader that takes nothing for so long has left, though its connection is still there. */
const stalledMs = 120_000

/** Well before the function's own end (900 s), with which the books would be lost. */
const longestMs = 840_000

function eventStream(
  { chunks, settle, leave }: Extract<Completion, { kind: 'stream' }>,
  { log, signal, errorForm }: Connection,
): ReadableStream<Uint8Array> {
  let stream: ReadableStreamDefaultController<Uint8Array>
  let left: Promise<void> | undefined
  let open = true
  let stalled: NodeJS.Timeout | undefined

  const send = (text: string) => stream.enqueue(encoder.encode(text))
  const sendError = (thrown: unknown) => {
    const failure = toPlatformError(thrown)
    log.warn('stream broke off', { code: failure.code, error: failure.cause })
    send(`event: error\ndata: ${JSON.stringify(errorBody(failure, errorForm))}\n\n`)
  }
  const goOn = () => (left ??= leave())
  const close = () => {
    clearTimeout(stalled)
    clearTimeout(end)
    if (open) stream.close()
    open = false
  }
  const cutOff = async () => {
    if (left === undefined && open) sendError(tooSlow())
    await goOn()
    close()
  }
  const end = setTimeout(() => void cutOff(), longestMs)
  const gone = () => void goOn().then(close)

  return new ReadableStream(
    {
      start(controller) {
        stream = controller
        signal.addEventListener('abort', gone, { once: true })
        if (signal.aborted) gone()
      },
      async pull() {
        clearTimeout(stalled)
        if (left !== undefined) return left
        try {
          const next = await chunks.next()
          if (left === undefined) {
            if (next.done) send('data: [DONE]\n\n')
            else {
              stalled = setTimeout(() => void cutOff(), stalledMs)
              return send(`data: ${JSON.stringify(next.value)}\n\n`)
            }
          }
        } catch (thrown) {
          if (left === undefined) sendError(thrown)
        }
        clearTimeout(end)
        await (left ?? settle())
        close()
      },
      async cancel() {
        open = false
        await goOn()
        close()
      },
    },
    { highWaterMark: 0 },
  )
}

function tooSlow(): PlatformError {
  return new PlatformError('bad-gateway', 'The answer was read too slowly', {
    code: 'AI_INTERRUPTED',
  })
}
