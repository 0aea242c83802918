import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface GatewayRequest {
  method: string
  path: string
  body: unknown
  headers: IncomingMessage['headers']
}

type Behaviour = (response: ServerResponse) => void

/** An x402 gateway on a socket of its own. The test sets its behaviour for each path. */
export async function startX402Upstream() {
  const asked: GatewayRequest[] = []
  const behaviours = new Map<string, Behaviour>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      asked.push({ method, path, body: text === '' ? undefined : JSON.parse(text), headers })
      const behave = behaviours.get(path) ?? answers(404, { error: 'no such path' })
      behave(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    serve: (path: string, behaviour: Behaviour) => void behaviours.set(path, behaviour),
    reset() {
      asked.length = 0
      behaviours.clear()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function answers(status: number, body: unknown): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}
