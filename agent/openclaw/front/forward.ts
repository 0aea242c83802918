import {
  type ClientRequest,
  type IncomingMessage,
  request as ask,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../gateway/http/problem.ts'
import { endToEnd, requestHeaders } from './headers.ts'

/** Asks OpenClaw what was asked of the agent. */
export function askOpenclaw(
  incoming: IncomingMessage,
  port: number,
  more: Record<string, string> = {},
): ClientRequest {
  return ask({
    host: '127.0.0.1',
    port,
    // Its own connection: one that OpenClaw closes in this moment would fail a request that cannot be repeated.
    agent: false,
    method: incoming.method,
    path: incoming.url,
    headers: { ...requestHeaders(incoming.headers, port), ...more },
  })
}

/**
 * Passes a request on to OpenClaw and its answer back, byte by byte as they come.
 * @throws Problem 503 while OpenClaw does not listen, 502 when it fails before it has answered
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
  // A body that breaks off ends the request; whether OpenClaw has answered already is seen below.
  incoming.pipe(outgoing)
  incoming.once('aborted', () => outgoing.destroy())
  const answer = await answered.catch((cause: unknown) => {
    throw unreachable(cause)
  })
  response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
  response.flushHeaders()
  await pipeline(answer, response)
}

/** Why OpenClaw did not answer. */
export function unreachable(cause: unknown): Problem {
  if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') {
    return new Problem(503, 'starting', 'The agent is starting', {
      headers: { 'retry-after': '1' },
      cause,
    })
  }
  return new Problem(502, 'runtime_failed', 'The agent’s runtime broke the connection', { cause })
}
