import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Problem } from './problem.ts'

/** Responds to a WebSocket request with an error and closes the connection, even if the caller does not. */
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
  // Unread input would turn the close into a reset, which may arrive before the response.
  socket.resume()
  socket.end(
    [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', text].join('\r\n'),
    () => socket.destroy(),
  )
}
