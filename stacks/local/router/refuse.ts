import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { GateRefusal } from './ask.ts'

const hop = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding'])

/** Sends the gate's refusal to the client. */
export function sendRefusal(
  response: ServerResponse,
  { status, headers, body }: GateRefusal,
): void {
  const entries = Object.entries(headers).filter(([name]) => !hop.has(name))
  response.writeHead(status, {
    ...Object.fromEntries(entries),
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

/** Sends an error of the router itself. */
export function fail(response: ServerResponse, status: number, code: string, error: string): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  sendRefusal(response, { status, headers, body: JSON.stringify({ error, code }) })
}

/** Returns a response on a socket whose upgrade failed. It is the last response on that socket. */
export function answerOn(socket: Duplex, request: IncomingMessage): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Socket)
  response.once('finish', () => socket.end())
  return response
}
