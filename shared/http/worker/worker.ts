import type { Hono } from 'hono'
import { runInBackground } from '#carrier'

type Fetch = Hono['fetch']

/** The handler that workerd and Cloudflare call. */
export interface WorkerHandler {
  fetch(request: Request): Promise<Response>
}

/**
 * Wraps an app as a worker. The client's address is in `cf-connecting-ip`, which Cloudflare sets and clients cannot
 * set. Unlike Lambda, workerd ends a request when its caller disconnects; this handler lets it continue to the end of
 * its follow-up, so that usage records and idempotent responses are written.
 */
export function workerHandler({ fetch }: { fetch: Fetch }): WorkerHandler {
  return {
    async fetch(request) {
      const sourceIp = request.headers.get('cf-connecting-ip') ?? undefined
      // One promise for the whole request, because workerd accepts no more promises after the caller has disconnected.
      const ended = Promise.withResolvers<void>()
      runInBackground(ended.promise)
      try {
        const answer = await fetch(request, { requestContext: { http: { sourceIp } } })
        return forwarded(answer, request.signal, ended.resolve)
      } catch (error) {
        ended.resolve()
        throw error
      }
    },
  }
}

/** Returns the response; its body is read to its end, or cancelled when its reader disconnects. */
function forwarded(answer: Response, caller: AbortSignal, ended: () => void): Response {
  if (answer.body === null) {
    ended()
    return answer
  }
  const length = answer.headers.get('content-length')
  const { readable, writable } =
    length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length))
  void pump(answer.body.getReader(), writable.getWriter(), caller).finally(ended)
  return new Response(readable, answer)
}

/** Does not use `pipeTo`, which hangs in workerd if the body was cloned. */
async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  caller: AbortSignal,
): Promise<void> {
  // Without the abort, the next write would wait for a reader forever.
  const leave = () => void writer.abort(caller.reason).catch(() => {})
  if (caller.aborted) leave()
  else caller.addEventListener('abort', leave, { once: true })
  try {
    for (let next = await reader.read(); next.done !== true; next = await reader.read())
      await writer.write(next.value)
    await writer.close()
  } catch (error) {
    // Either the body failed, and its reader must get the error, or the reader has disconnected, and the body must be
    // cancelled.
    await Promise.allSettled([writer.abort(error), reader.cancel(error)])
  }
}
