import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '../../gateway/http/problem.ts'
import { refuseSocket } from '../../gateway/http/refuse-socket.ts'
import { askOpenclaw, unreachable } from './forward.ts'

/** The time limit of the WebSocket handshake with OpenClaw. */
const handshakeMs = 15_000

/** Connects a WebSocket with OpenClaw's. `head` is the data that arrived with the request. */
export function joinSocket(
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  port: number,
): void {
  const upgrade = incoming.headers.upgrade ?? 'websocket'
  const outgoing = askOpenclaw(incoming, port, { connection: 'Upgrade', upgrade })
  const timer = setTimeout(() => outgoing.destroy(new Error('no handshake')), handshakeMs)
  const settle = (): void => clearTimeout(timer)
  socket.on('error', () => outgoing.destroy())
  socket.once('close', () => outgoing.destroy())
  outgoing.once('upgrade', (answer, inner, innerHead) => {
    settle()
    socket.write(startLine(answer))
    socket.write(innerHead)
    inner.write(head)
    inner.on('error', () => socket.destroy())
    inner.once('close', () => socket.destroy())
    socket.once('close', () => inner.destroy())
    inner.pipe(socket).pipe(inner)
  })
  outgoing.once('response', (answer) => {
    settle()
    answer.destroy()
    refuseSocket(
      socket,
      new Problem(answer.statusCode ?? 502, 'not_upgraded', 'There is no WebSocket here'),
    )
  })
  outgoing.once('error', (error) => {
    settle()
    refuseSocket(socket, unreachable(error))
  })
  outgoing.end()
}

function startLine({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${statusCode} ${statusMessage}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}
