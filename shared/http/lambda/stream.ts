import type { Writable } from 'node:stream'
import type { APIGatewayProxyEvent, Context as LambdaContext } from 'aws-lambda'
import type { SentRequest } from '../sent-request.ts'
import { pump } from '../server/pump.ts'
import { eventRequest } from './event-request.ts'

/** The global that Lambda's runtime defines for functions that stream. */
declare const awslambda: {
  streamifyResponse(
    handler: (
      event: APIGatewayProxyEvent,
      response: Writable,
      context: StreamContext,
    ) => Promise<void>,
  ): unknown
  HttpResponseStream: {
    from(
      response: Writable,
      metadata: { statusCode: number; headers: Record<string, string>; cookies: string[] },
    ): Writable
  }
}

/** On one machine, a function gets uploads together with the event. Lambda does not support uploads. */
type StreamContext = LambdaContext & { upload?: SentRequest }

interface App {
  fetch(request: Request, env: unknown): Response | Promise<Response>
}

/**
 * A Lambda handler that streams the app's response. Unlike Hono's own adapter it notifies the app when the client
 * disconnects: the body's stream is cancelled, and with it its source.
 */
export function streamHandler(app: App): unknown {
  return awslambda.streamifyResponse(async (event, response, lambdaContext) => {
    const gone = new AbortController()
    const leave = () => {
      // The response also closes when it is complete. It is not aborted then, because an abort costs as much CPU time
      // as a request's guards.
      if (!response.writableFinished) gone.abort()
    }
    response.once('close', leave).once('error', leave)
    const answer = await app.fetch(eventRequest(event, gone.signal, lambdaContext.upload), {
      event,
      requestContext: event.requestContext,
      lambdaContext,
    })
    const out = awslambda.HttpResponseStream.from(response, headOf(answer))
    if (answer.body === null) {
      begin(out)
      out.end()
      return
    }
    await pump(answer.body, out, { gone: gone.signal, empty: () => begin(out) })
  })
}

/** Lambda sends the status and the headers with the first write, even an empty one. */
function begin(out: Writable): void {
  out.write('')
}

function headOf({ status, headers: responseHeaders }: Response) {
  const headers: Record<string, string> = {}
  responseHeaders.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = value
  })
  return { statusCode: status, headers, cookies: responseHeaders.getSetCookie() }
}
