import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * An address that stays while what is behind it ends and comes back on another port: a port that nothing listens on
 * could be given to another process meanwhile.
 * @param behind where to, undefined while nothing is there
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
      // Whichever side is lost, the other one is as well.
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
    /** Ends every connection, as the end of what is behind does. */
    cut,
    async close(): Promise<void> {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
