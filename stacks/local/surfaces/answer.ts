import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FunctionError } from '../functions/errors.ts'
import type { Sink } from '../functions/instance.ts'

/** The result of a function: payload format 2.0, and `multiValueHeaders` of 1.0, which API Gateway accepts too. */
interface Result {
  statusCode?: number | string
  headers?: Record<string, boolean | number | string>
  multiValueHeaders?: Record<string, (boolean | number | string)[]>
  cookies?: string[]
  body?: string
  isBase64Encoded?: boolean
}

/** Sends a JSON response of the gateway itself. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body: Record<string, string>,
): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-request-id': randomUUID(),
  })
  response.end(text)
}

/** Sends a function's result. A result without a status code is the body of a 200, as in payload format 2.0. */
export function answerResult(response: ServerResponse, result: unknown): void {
  const parsed = isResult(result)
    ? result
    : {
        headers: { 'content-type': 'application/json' },
        body: typeof result === 'string' ? result : JSON.stringify(result),
      }
  const status = Number(parsed.statusCode ?? 200)
  const body = Buffer.from(parsed.body ?? '', parsed.isBase64Encoded ? 'base64' : 'utf8')
  const headers = outgoing(parsed)
  // A response to HEAD without a body does not give the length of the content.
  const hasLength = body.length > 0 || response.req.method !== 'HEAD'
  if (hasLength && status !== 204 && status !== 304) headers['content-length'] ??= body.length
  response.writeHead(status, headers)
  response.end(body)
}

/** Responds for a function that returned no result, as an HTTP API does; for a streaming function, as its function URL does. */
export function answerFailure(
  response: ServerResponse,
  error: FunctionError,
  streaming: boolean,
): void {
  if (response.headersSent) {
    // The status has been sent. Only cutting the connection can tell the client that the response is incomplete.
    response.destroy()
    return
  }
  if (!streaming) answerJson(response, 500, { message: 'Internal Server Error' })
  else if (error.kind === 'timeout') answerJson(response, 504, { message: 'Gateway Timeout' })
  else answerJson(response, 502, { message: 'Bad Gateway' })
}

/** Sends a streamed response chunk by chunk, no faster than the client reads. */
export function responseSink(response: ServerResponse): Sink {
  return {
    head({ statusCode = 200, headers = {}, cookies = [] }, alone) {
      response.writeHead(statusCode, outgoing({ headers, cookies }))
      // Otherwise the head is sent in one packet with the first chunk.
      if (alone) response.flushHeaders()
    },
    write(bytes) {
      if (response.write(bytes) || response.destroyed) return undefined
      return new Promise((resolve) => {
        const done = () => {
          response.off('drain', done).off('close', done)
          resolve()
        }
        response.on('drain', done).on('close', done)
      })
    },
  }
}

function isResult(result: unknown): result is Result {
  return typeof result === 'object' && result !== null && 'statusCode' in result
}

function outgoing({ headers, multiValueHeaders, cookies }: Result): OutgoingHttpHeaders {
  const out: OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers ?? {})) out[name.toLowerCase()] = String(value)
  for (const [name, values] of Object.entries(multiValueHeaders ?? {}))
    out[name.toLowerCase()] = values.map(String)
  if (cookies !== undefined && cookies.length > 0) out['set-cookie'] = cookies
  // Length and framing of the response belong to this connection.
  delete out['transfer-encoding']
  delete out['connection']
  return out
}
