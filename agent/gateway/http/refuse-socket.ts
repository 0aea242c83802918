import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from './problem.ts'

/** Answers a request for a WebSocket with an error, and closes; a caller who does not close holds nothing open. */
export function refuseSocket(socket: Duplex, { status, body, headers }: Problem): void {
  if (socket.destroyed) return
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...headers,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.on('error', () => {})
  // Bytes that this end has not read would turn the end into a reset, which may overtake the answer.
  socket.resume()
  socket.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', text].join('\r\n'),
    () => socket.destroy(),
  )
}
