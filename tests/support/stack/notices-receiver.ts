import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Receiver {
  url: string
  close(): Promise<void>
}

/** A webhook receiver on a socket of its own: it stores each post, and a GET returns all of them. */
export async function startReceiver(): Promise<Receiver> {
  const received: unknown[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => {
      if (request.method === 'POST') received.push(JSON.parse(text))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(received))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * Returns a receiver's notices about one agent in the order of their events; deliveries may arrive in another order.
 */
export async function noticesAbout(
  url: string,
  agentId: string,
): Promise<Record<string, unknown>[]> {
  const all = (await (await fetch(url)).json()) as Record<string, unknown>[]
  return all
    .filter((notice) => notice.agentId === agentId)
    .toSorted((one, other) => Date.parse(String(one.at)) - Date.parse(String(other.at)))
}
