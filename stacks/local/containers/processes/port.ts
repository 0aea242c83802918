import { createSocket, type Socket } from 'node:dgram'
import { createServer } from 'node:net'
import type { Store } from '../store/open.ts'
import { isPortInUse } from '../tasks/store.ts'

/** Below the ephemeral ports of operating systems, which an outgoing connection could take in between. */
const first = 20_000
const count = 10_000

/** Random, so that engines on one machine rarely try the same port at the same time. */
let next = Math.floor(Math.random() * count)

/** A port that is reserved for one task until it is released. */
export interface ClaimedPort {
  port: number
  release(): void
}

/**
 * Returns a port of 127.0.0.1 that no live task holds and nothing listens on.
 *
 * A task listens some time after it gets its port. Until the port is released, the engine binds the UDP port with the same
 * number, which is independent of the TCP port: this tells every other engine on this machine that the port is reserved.
 *
 * Candidates rotate, so two concurrent launches never try the same one.
 * @throws Error if all ports are taken
 */
export async function claimPort(store: Store): Promise<ClaimedPort> {
  for (let tries = 0; tries < count; tries++) {
    const port = first + next
    next = (next + 1) % count
    if (isPortInUse(store, port)) continue
    const claim = await holdUdp(port)
    if (claim === undefined) continue
    const release = () => void claim.close()
    if (await canListen(port)) return { port, release }
    release()
  }
  throw new Error(`Every port from ${first} to ${first + count - 1} is taken`)
}

function holdUdp(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref()
    socket.once('error', () => {
      socket.close()
      resolve(undefined)
    })
    socket.bind({ address: '127.0.0.1', port, exclusive: true }, () => resolve(socket))
  })
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () =>
      server.close(() => resolve(true)),
    )
  })
}
