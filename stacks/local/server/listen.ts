import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A port that another program holds. */
export class PortInUseError extends Error {
  readonly port: number

  constructor(port: number, options: ErrorOptions) {
    super(`port ${port} is in use`, options)
    this.name = 'PortInUseError'
    this.port = port
  }
}

/**
 * Listens on loopback only.
 * @param port 0 picks a free one
 * @returns the port
 * @throws PortInUseError
 */
export async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(port, { cause: error }) : error),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

/** Takes nothing new, lets what is under way finish for `graceMs`, then cuts it. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // A connection that was busy becomes idle later, and would then be kept alive.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
