import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Writable } from 'node:stream'
import type { APIGatewayProxyEventV2, Context as LambdaContext } from 'aws-lambda'

/** What Lambda's runtime puts into the global scope for functions that stream. */
declare const awslambda: {
  streamifyResponse(
    handler: (
      event: APIGatewayProxyEventV2,
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
    response.once('close', () => gone.abort())
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
      out.end()
      return
    }
    await pipeline(Readable.fromWeb(answer.body as never), out).catch((error: unknown) => {
      // A client that hangs up in the middle is no fault of ours; everything else is.
      if (!gone.signal.aborted) throw error
    })
  })
}

/** A payload-2.0 event, from an HTTP API or a function URL, as a web Request. */
function toRequest(event: APIGatewayProxyEventV2, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(event.headers))
    if (value !== undefined) headers.set(name, value)
  if (event.cookies !== undefined) headers.set('cookie', event.cookies.join('; '))
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`
  const { method } = event.requestContext.http
  const body =
    event.body === undefined || method === 'GET' || method === 'HEAD'
      ? null
      : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8')
  return new Request(`https://${event.requestContext.domainName}${event.rawPath}${query}`, {
    method,
    headers,
    body,
    signal,
  })
}
