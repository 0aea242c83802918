import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A fixed address for a server that ends and restarts on another port. Without it, another process could get the free
 * port in between.
 * @param behind returns the server's current port; undefined while it is down
 */
export async function startFront(behind: () => number | undefined) {
  const open = new Set<Socket>()
  const server = createServer((caller) => {
    const port = behind()
    if (port === undefined) return void caller.destroy()
    const engine = connect(port, '127.0.0.1')
    caller.pipe(engine).pipe(caller)
    for (const socket of [caller, engine]) {
      open.add(socket)
      // When one side closes, the other side closes too.
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        open.delete(socket)
        caller.destroy()
        engine.destroy()
      })
    }
    return undefined
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Closes every connection, as the server's end does. */
    cut,
    async close(): Promise<void> {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
