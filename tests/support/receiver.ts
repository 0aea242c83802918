import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Receiver {
  url: string
  close(): Promise<void>
}

/** A webhook on a socket of its own: it keeps what is posted to it, and a GET answers all of it. */
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

/** The notices about one agent that a receiver has got, in the order of what they tell: one may overtake another. */
export async function noticesAbout(
  url: string,
  agentId: string,
): Promise<Record<string, unknown>[]> {
  const all = (await (await fetch(url)).json()) as Record<string, unknown>[]
  return all
    .filter((notice) => notice.agentId === agentId)
    .toSorted((one, other) => Date.parse(String(one.at)) - Date.parse(String(other.at)))
}
