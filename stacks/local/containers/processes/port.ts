import { createServer } from 'node:net'
import { isPortHeld } from '../tasks/store.ts'
import type { Store } from '../store/open.ts'

/** Below the ports that systems give to outgoing connections, which could take one meanwhile. */
const first = 20_000
const count = 10_000

/** Random, so that two engines on one machine seldom try the same port at the same time. */
let next = Math.floor(Math.random() * count)

/**
 * A port of 127.0.0.1 that no live task holds and nothing listens on.
 *
 * Candidates go round in turn, so two launches at once never look at the same one.
 * @throws when all are taken
 */
export async function findPort(store: Store): Promise<number> {
  for (let tries = 0; tries < count; tries++) {
    const port = first + next
    next = (next + 1) % count
    if (!isPortHeld(store, port) && (await canListen(port))) return port
  }
  throw new Error(`Every port from ${first} to ${first + count - 1} is taken`)
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
