import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { APIGatewayProxyEvent, Context as LambdaContext } from 'aws-lambda'
import { eventRequest } from './event-request.ts'

/** What Lambda's runtime puts into the global scope for functions that stream. */
declare const awslambda: {
  streamifyResponse(
    handler: (
      event: APIGatewayProxyEvent,
      response: Writable,
      context: LambdaContext,
    ) => Promise<void>,
  ): unknown
  HttpResponseStream: {
    from(
      response: Writable,
      metadata: { statusCode: number; headers: Record<string, string>; cookies: string[] },
    ): Writable
  }
}

interface App {
  fetch(request: Request, env: unknown): Response | Promise<Response>
}

/**
 * A Lambda handler that answers as the app produces. Unlike Hono's own adapter it tells the app when the client
 * goes away: the body's stream is cancelled, and with it its source.
 */
export function streamHandler(app: App): unknown {
  return awslambda.streamifyResponse(async (event, response, lambdaContext) => {
    const gone = new AbortController()
    const leave = () => {
      // It also closes once it is all there; a needless abort costs as much as a request's guards.
      if (!response.writableFinished) gone.abort()
    }
    response.once('close', leave).once('error', leave)
    const answer = await app.fetch(eventRequest(event, gone.signal), {
      event,
      requestContext: event.requestContext,
      lambdaContext,
    })
    const out = awslambda.HttpResponseStream.from(response, headOf(answer))
    if (answer.body === null) {
      // Lambda sends the status and the headers with the first write, be it empty.
      out.write('')
      out.end()
      return
    }
    await pump(answer.body, out, gone.signal)
  })
}

/**
 * Hands each chunk on as it comes, no faster than the client takes them, and ends once the body has ended or has been
 * cancelled: until then the function must not be frozen. Node's own bridge from the one kind of stream to the other
 * costs more than all else that is done here.
 */
async function pump(
  body: ReadableStream<Uint8Array>,
  out: Writable,
  gone: AbortSignal,
): Promise<void> {
  const reader = body.getReader()
  let cancelled: Promise<void> | undefined
  const leave = () => {
    cancelled = reader.cancel()
  }
  gone.addEventListener('abort', leave)
  if (gone.aborted) leave()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || out.destroyed) break
      if (!out.write(value)) await once(out, 'drain', { signal: gone })
    }
    await cancelled
    out.end()
  } catch (error) {
    out.destroy()
    // A client that hangs up in the middle is no fault of ours; everything else is.
    if (!gone.aborted) throw error
    await cancelled
  }
}

function headOf({ status, headers: given }: Response) {
  const headers: Record<string, string> = {}
  given.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = value
  })
  return { statusCode: status, headers, cookies: given.getSetCookie() }
}
