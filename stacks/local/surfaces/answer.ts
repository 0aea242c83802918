import { randomUUID } from 'node:crypto'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FunctionError } from '../functions/errors.ts'
import type { Sink } from '../functions/instance.ts'

/** What a function may return: payload 2.0, with 1.0's multiValueHeaders tolerated as API Gateway does. */
interface Result {
  statusCode?: number | string
  headers?: Record<string, boolean | number | string>
  multiValueHeaders?: Record<string, (boolean | number | string)[]>
  cookies?: string[]
  body?: string
  isBase64Encoded?: boolean
}

/** Answers in JSON in the gateway's own name. */
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

/** Sends a function's result. Anything without a status code is taken as the body of a 200, as payload 2.0 has it. */
export function answerResult(response: ServerResponse, result: unknown): void {
  const given = isResult(result)
    ? result
    : {
        headers: { 'content-type': 'application/json' },
        body: typeof result === 'string' ? result : JSON.stringify(result),
      }
  const status = Number(given.statusCode ?? 200)
  const body = Buffer.from(given.body ?? '', given.isBase64Encoded ? 'base64' : 'utf8')
  const headers = outgoing(given)
  // A function that leaves the body of an answer to HEAD out does not say how long it is.
  const hasLength = body.length > 0 || response.req.method !== 'HEAD'
  if (hasLength && status !== 204 && status !== 304) headers['content-length'] ??= body.length
  response.writeHead(status, headers)
  response.end(body)
}

/** Answers for a function that brought no result, as an HTTP API does, or a function URL where it streams. */
export function answerFailure(
  response: ServerResponse,
  error: FunctionError,
  streaming: boolean,
): void {
  if (response.headersSent) {
    // The status is out; cutting the connection is the only way left to say that this is not the whole answer.
    response.destroy()
    return
  }
  if (!streaming) answerJson(response, 500, { message: 'Internal Server Error' })
  else if (error.kind === 'timeout') answerJson(response, 504, { message: 'Gateway Timeout' })
  else answerJson(response, 502, { message: 'Bad Gateway' })
}

/** Sends a streamed answer chunk by chunk, no faster than the client reads. */
export function responseSink(response: ServerResponse): Sink {
  return {
    head({ statusCode = 200, headers = {}, cookies = [] }, alone) {
      response.writeHead(statusCode, outgoing({ headers, cookies }))
      // Else they leave in one packet with the first chunk.
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
  // How long the answer is and how it is framed is for this connection to say.
  delete out['transfer-encoding']
  delete out['connection']
  return out
}
