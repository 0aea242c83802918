import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { Refusal } from './ask.ts'

const hop = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding'])

/** Answers what the gate says to the client. */
export function refuse(response: ServerResponse, { status, headers, body }: Refusal): void {
  const kept = Object.entries(headers).filter(([name]) => !hop.has(name))
  response.writeHead(status, {
    ...Object.fromEntries(kept),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** Answers in the router's own name. */
export function fail(response: ServerResponse, status: number, code: string, error: string): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  refuse(response, { status, headers, body: JSON.stringify({ error, code }) })
}

/** An answer on a connection that asked to become another and will not: the last that is said on it. */
export function answerOn(socket: Duplex, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  return response
}
