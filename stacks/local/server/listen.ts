import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The port is in use. */
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

/** Accepts nothing new, lets requests finish for `graceMs`, then cuts them. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // A busy connection becomes idle later and would then be kept alive.
  const idle = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
