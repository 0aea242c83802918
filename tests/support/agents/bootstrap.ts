import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { routes } from '#functions/backend/bootstrap.ts'
import { createApp } from '#shared/http/app.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'

/** Serves the real bootstrap route over a socket, without the rest of the backend, for containers of a test. */
export async function startBootstrap(
  services: () => Pick<Context, 'table'> & Reads<'WALLET_ENCRYPTION_KEY' | 'WATCHDOG_AUTO_REPAIR'>,
) {
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = incoming.method === 'POST' ? await text(incoming) : undefined
    const app = createApp({
      surface: 'backend',
      name: 'backend-bootstrap',
      routes,
      services: services(),
      settings: {},
      table: services().table,
    })
    const response = await app.request(
      incoming.url ?? '/',
      {
        method: incoming.method ?? 'GET',
        headers: incoming.headers as Record<string, string>,
        ...(body !== undefined && { body }),
      },
      { requestContext: { http: { sourceIp: incoming.socket.remoteAddress } } },
    )
    outgoing
      .writeHead(response.status, Object.fromEntries(response.headers))
      .end(await response.text())
  }
  const underWay = new Set<Promise<void>>()
  const server = createServer((incoming, outgoing) => {
    const answered = answer(incoming, outgoing)
      .catch((error: unknown) => {
        // A container that ends while it sends its request expects no response.
        if (incoming.complete) throw error
      })
      .finally(() => underWay.delete(answered))
    underWay.add(answered)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Also waits for requests of ended containers, because they read the table. */
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await Promise.all(underWay)
    },
  }
}
