import {
  type ClientRequest,
  type IncomingMessage,
  request as ask,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../gateway/http/problem.ts'
import { endToEnd, requestHeaders } from './headers.ts'

/** Sends a request for the agent to OpenClaw. */
export function askOpenclaw(
  incoming: IncomingMessage,
  port: number,
  more: Record<string, string> = {},
): ClientRequest {
  return ask({
    host: '127.0.0.1',
    port,
    // A separate connection: OpenClaw may close a pooled one at this moment, and the request cannot be repeated.
    agent: false,
    method: incoming.method,
    path: incoming.url,
    headers: { ...requestHeaders(incoming.headers, port), ...more },
  })
}

/**
 * Forwards a request to OpenClaw and streams its response back.
 * @throws Problem 503 while OpenClaw does not listen, 502 if it fails before it responds
 */
export async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  port: number,
): Promise<void> {
  const outgoing = askOpenclaw(incoming, port)
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
  })
  response.once('close', () => outgoing.destroy())
  // A broken body ends the request. Whether OpenClaw has already responded is checked below.
  incoming.pipe(outgoing)
  incoming.once('aborted', () => outgoing.destroy())
  const answer = await answered.catch((cause: unknown) => {
    throw unreachable(cause)
  })
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
  response.flushHeaders()
  await pipeline(answer, response)
}

/** Returns the problem for a request that OpenClaw did not answer. */
export function unreachable(cause: unknown): Problem {
  if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
    return new Problem(503, 'starting', 'The agent is starting', {
      headers: { 'retry-after': '1' },
      cause,
    })
  }
  return new Problem(502, 'runtime_failed', 'The agent’s runtime broke the connection', { cause })
}
