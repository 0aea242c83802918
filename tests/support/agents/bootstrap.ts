import { once } from 'node:events'
import { createServer } from 'node:http'
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
  const server = createServer(async (incoming, outgoing) => {
    const app = createApp({
      surface: 'backend',
      name: 'backend-bootstrap',
      routes,
      services: services(),
      settings: {},
      table: services().table,
    })
    const answer = await app.request(
      incoming.url ?? '/',
      {
        method: incoming.method ?? 'GET',
        headers: incoming.headers as Record<string, string>,
        ...(incoming.method === 'POST' && { body: await text(incoming) }),
      },
      { requestContext: { http: { sourceIp: incoming.socket.remoteAddress } } },
    )
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
