import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the server received it. */
interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

type Reply = (response: ServerResponse, seen: Seen) => void

/** Answers with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))
}

/** Reads the request and closes the connection. */
export const hangUp: Reply = (response) => response.destroy()

/** Sends events, then ends the response or, if `hangsUp`, closes the connection in the middle. */
export function events(text: string, hangsUp = false): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(text, () => (hangsUp ? response.destroy() : response.end()))
  }
}

/** Starts a server that sends the replies in turn, repeats the last one, and records all requests. */
export async function startFailingServer(...replies: Reply[]) {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() }
    seen.push(one)
    replies[Math.min(seen.length, replies.length) - 1]?.(response, one)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
