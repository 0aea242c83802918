import { PassedOn } from '#shared/ai/gateway/answers/passed-on.ts'
import type { StartedCall, WholeCall } from '#shared/ai/gateway/completions/complete.ts'
import type { Waiting } from '#shared/ai/gateway/completions/disconnect.ts'
import { errorBody, toPlatformError } from '#shared/http/errors.ts'
import { type EventSource, type EventWriter, respondWithEvents } from '#shared/http/event-stream.ts'
import type { Metrics } from '#shared/platform/metrics.ts'
import { keepAliveMs } from './keep-alive.ts'
import { type Connection, eventHeaders, eventsOf, remainingMs, tooSlow } from './respond.ts'

/** These failures have the status 200, so no other metric of requests counts them. */
const failedLate: Metrics = { by: [['function']], of: { AiLateFailures: [1, 'Count'] } }

/**
 * Sends the head of a response before a model has answered, if the provider has sent only keep-alive bytes for 15
 * seconds. The status is 200, so a later error is an event of a stream, or the JSON body of a whole answer. A keep-alive is an SSE comment, or a line feed before the JSON, which allows white space there (RFC 8259, 2).
 * More keep-alives follow every 15 seconds until a model answers, even while the next model is tried.
 */
export function respondEarly<Answer>(
  completing: Promise<StartedCall<Answer>>,
  waiting: Waiting,
  connection: Connection,
  write: (whole: WholeCall<Answer>) => object,
): Response {
  const { stream } = waiting
  let out: EventWriter
  let answer: EventSource | undefined
  let left: Promise<void> | undefined
  let ticks: NodeJS.Timeout | undefined
  let end: NodeJS.Timeout | undefined

  const sendKeepAlive = () => (stream ? out.keepAlive() : out.write('\n'))
  const sendError = (thrown: unknown) => {
    const failure = toPlatformError(thrown)
    const level = failure.kind === 'internal' ? 'error' : 'warn'
    const fields = { code: failure.code, error: failure.cause }
    connection.log[level]('no answer', fields, failedLate)
    const data = errorBody(failure, connection.errorForm, connection.requestId)
    if (stream) out.send(connection.failed?.(failure) ?? { event: 'error', data })
    else out.write(JSON.stringify(data))
  }
  const stopTicks = () => clearInterval(ticks)
  async function leave(): Promise<void> {
    waiting.leave()
    const completion = await completing.catch(() => undefined)
    if (completion?.kind === 'stream') await completion.leave()
    else await completion?.settle().then(completion.followed)
  }
  async function cutOff(): Promise<void> {
    sendError(tooSlow())
    await (left ??= leave())
    out.end()
  }

  return respondWithEvents(
    {
      start(writer) {
        out = writer
        sendKeepAlive()
        connection.keepAlive.write = () => {}
        ticks = setInterval(sendKeepAlive, keepAliveMs)
        end = setTimeout(() => void cutOff(), remainingMs(connection))
        completing.then(stopTicks, stopTicks)
      },
      async pull() {
        if (answer !== undefined) return answer.pull(out)
        const completion = await completing.catch((thrown: unknown) => {
          if (left === undefined) sendError(thrown)
        })
        if (left !== undefined) return left
        clearTimeout(end)
        if (completion === undefined) return out.end()
        if (completion.kind === 'stream') {
          answer = eventsOf(completion, connection)
          answer.start?.(out)
          return answer.pull(out)
        }
        await completion.settle()
        const written = write(completion)
        out.write(written instanceof PassedOn ? written.text : JSON.stringify(written))
        await completion.followed()
        out.end()
      },
      async cancel() {
        if (answer !== undefined) return answer.cancel()
        stopTicks()
        clearTimeout(end)
        await (left ??= leave())
      },
    },
    stream ? eventHeaders : { 'content-type': 'application/json' },
  )
}
