import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { APIGatewayProxyEvent, Context as LambdaContext } from 'aws-lambda'

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
 * goes away: the body's stream is cancelled, and with it whatever feeds it.
 */
export function streamHandler(app: App): unknown {
  return awslambda.streamifyResponse(async (event, response, lambdaContext) => {
    const gone = new AbortController()
    const leave = () => {
      // It also closes once it is all there; an abort that nobody needs costs as much as a request's guards.
      if (!response.writableFinished) gone.abort()
    }
    response.once('close', leave).once('error', leave)
    const answer = await app.fetch(toRequest(event, gone.signal), {
      event,
      requestContext: event.requestContext,
      lambdaContext,
    })
    const headers = Object.fromEntries(
      [...answer.headers].filter(([name]) => name !== 'set-cookie'),
    )
    const out = awslambda.HttpResponseStream.from(response, {
      statusCode: answer.status,
      headers,
      cookies: answer.headers.getSetCookie(),
    })
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

/** An event of a REST API, the kind of API that streams, as a web Request. */
function toRequest(event: APIGatewayProxyEvent, signal: AbortSignal): Request {
  const { httpMethod: method, path, requestContext } = event
  const headers = new Headers()
  for (const [name, values] of Object.entries(event.multiValueHeaders))
    for (const value of values ?? []) headers.append(name, value)
  const body =
    event.body === null || method === 'GET' || method === 'HEAD'
      ? null
      : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8')
  const url = `https://${requestContext.domainName}${path}${searchOf(event)}`
  const request = new Request(url, { method, headers, body })
  // One that is given to a Request is copied into another, over weak references that every collection must look through.
  return Object.defineProperty(request, 'signal', { value: signal })
}

function searchOf({ multiValueQueryStringParameters: parameters }: APIGatewayProxyEvent): string {
  if (!parameters) return ''
  const query = new URLSearchParams()
  for (const [name, values] of Object.entries(parameters))
    for (const value of values ?? []) query.append(name, value)
  return query.size === 0 ? '' : `?${query}`
}
