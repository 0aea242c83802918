import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { idPrefixes } from '../../manifest/ids.ts'
import { newId } from '../../platform/ids.ts'
import { type Followed, followedOf } from '../respond-then.ts'
import { pump } from './pump.ts'

/**
 * Sends an app's answer as it is produced, and returns once everything that follows from it is done. A client that has
 * the whole of an answer with a length may ask the next thing by then: what follows does not hold its connection.
 * @throws what the answer's body throws
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

/** A known text leaves in one write with the head. */
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

/** Answers in JSON in the server's own name. */
export function refuse(out: ServerResponse, status: number, error: string): void {
  if (out.headersSent) {
    // The status is out; cutting the connection is the only way left to say that this is not the whole answer.
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

function outgoing(given: Headers): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {}
  given.forEach((value, name) => {
    if (name !== 'set-cookie') headers[name] = value
  })
  const cookies = given.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  return headers
}
