import type { Hono } from 'hono'
import { carryOn } from '#carrier'

type Fetch = Hono['fetch']

/** What workerd, and Cloudflare, call. */
export interface WorkerHandler {
  fetch(request: Request): Promise<Response>
}

/**
 * An app as a worker. The client's address is the connection's, which Cloudflare says in `cf-connecting-ip` and lets
 * no client say. Unlike Lambda, workerd ends a request with its caller's connection; here it goes on to the end of what
 * follows from it, so that a record of what was used and a key's answer are written all the same.
 */
export function workerHandler({ fetch }: { fetch: Fetch }): WorkerHandler {
  return {
    async fetch(request) {
      const sourceIp = request.headers.get('cf-connecting-ip') ?? undefined
      // One promise for all of it: once the caller has gone, workerd takes no further ones.
      const ended = Promise.withResolvers<void>()
      carryOn(ended.promise)
      try {
        const answer = await fetch(request, { requestContext: { http: { sourceIp } } })
        return passedOn(answer, request.signal, ended.resolve)
      } catch (error) {
        ended.resolve()
        throw error
      }
    },
  }
}

/** The answer, whose body is read to its end, or told that its reader has gone. */
function passedOn(answer: Response, caller: AbortSignal, ended: () => void): Response {
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

/** Not `pipeTo`, which hangs in workerd where the body was cloned. */
async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array>,
  caller: AbortSignal,
): Promise<void> {
  // Else the next write would wait for a reader for ever.
  const leave = () => void writer.abort(caller.reason).catch(() => {})
  if (caller.aborted) leave()
  else caller.addEventListener('abort', leave, { once: true })
  try {
    for (let next = await reader.read(); next.done !== true; next = await reader.read())
      await writer.write(next.value)
    await writer.close()
  } catch (error) {
    // Either the body broke off, which its reader shall see, or its reader has gone, which the body shall be told.
    await Promise.allSettled([writer.abort(error), reader.cancel(error)])
  }
}
