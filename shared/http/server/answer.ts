import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'
import { type Followed, followedOf } from '../respond-then.ts'
import { pump } from './pump.ts'

/**
 * Sends an app's response while it is produced, and returns when its follow-up is done. The follow-up does not block
 * the connection: a client that has received all bytes of a response with a length can already send its next request.
 * @throws any error of the response's body
 */
export async function sendAnswer(
  answer: Response,
  out: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const followed = followedOf(answer)
  if (followed !== undefined) return sendText(answer, followed, out, gone)
  const { status, headers, body } = answer
  out.writeHead(status, outgoing(headers))
  if (body === null) {
    out.end()
    return
  }
  const length = headers.get('content-length')
  await pump(body, out, { gone, length: length === null ? undefined : Number(length) })
}

/** Sends the status, the headers and a known text in one write. */
async function sendText(
  { status, headers }: Response,
  { text, sent, left }: Followed,
  out: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted || out.destroyed) return left()
  out.writeHead(status, outgoing(headers))
  out.end(text)
  await sent()
}

/** Responds with an error of the server itself, as JSON. */
export function respondWithError(out: ServerResponse, status: number, error: string): void {
  if (out.headersSent) {
    // The status is already sent; only a closed connection can show that the response is incomplete.
    out.destroy()
    return
  }
  const text = JSON.stringify({ error })
  out.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-request-id': newId(idPrefixes.request),
  })
  out.end(text)
}

function outgoing(responseHeaders: Headers): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  responseHeaders.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = value
  })
  const cookies = responseHeaders.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  return headers
}
