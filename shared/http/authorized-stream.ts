import { PlatformError } from '../platform/errors.ts'
import type { Actor } from '../platform/identity/actor.ts'
import type { Log } from '../platform/log.ts'
import { errorBody, type ErrorForm } from './errors.ts'

/** The interval for checking the caller's credential again. */
const renewEveryMs = 20_000

/** A stop ends an agent's key, and its container has 120 s to finish its answers: docs/use/agents.md. */
const graceMs = { user: 0, agent: 120_000 }

export interface StreamCaller {
  /** The kind of the caller that opened the stream. */
  type: 'user' | 'agent'
  /** Runs the guard again. */
  whoCalls: () => Promise<Actor>
  log: Log
  requestId: string
  /** The format of the final event if the stream is ended early; without a format, no final event is sent. */
  errorForm?: ErrorForm
}

/**
 * Sends events only while the caller is allowed to receive them: when the session, key or grant ends, the stream ends
 * before the first chunk that is more than twenty seconds after the last check. The source is cancelled, as for a
 * caller that disconnects. An agent's stream may continue for 120 seconds. If the table does not respond, the stream
 * continues until the next check twenty seconds later.
 */
export function streamWhileAuthorized(answer: Response, streamCaller: StreamCaller): Response {
  const { errorForm, requestId } = streamCaller
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || answer.body === null) return answer
  const source = answer.body.getReader()
  let lookedAt = Date.now()
  let endsAt: number | undefined
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await source.read()
        if (next.done) return controller.close()
        if (Date.now() - lookedAt >= renewEveryMs) {
          lookedAt = Date.now()
          const refused = await refusalOf(streamCaller)
          endsAt = refused && (endsAt ?? lookedAt + graceMs[streamCaller.type])
          if (refused !== undefined && endsAt !== undefined && lookedAt >= endsAt) {
            await source.cancel()
            if (errorForm !== undefined) {
              const data = JSON.stringify(errorBody(refused, errorForm, requestId))
              controller.enqueue(new TextEncoder().encode(`event: error\ndata: ${data}\n\n`))
            }
            return controller.close()
          }
        }
        controller.enqueue(next.value)
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  const { status, headers } = answer
  return new Response(body, { status, headers })
}

async function refusalOf({
  type,
  whoCalls,
  log,
}: StreamCaller): Promise<PlatformError | undefined> {
  try {
    const caller = await whoCalls()
    return caller.type === type ? undefined : new PlatformError('unauthorized', 'Unauthorized')
  } catch (error) {
    if (error instanceof PlatformError && /^(unauthorized|forbidden)$/.test(error.kind))
      return error
    log.warn('a stream continues without a check of its credential', { error })
    return undefined
  }
}
