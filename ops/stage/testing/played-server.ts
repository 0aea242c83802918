import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type Answer = [status: number, body: string]

export interface Request {
  /** The service and the region that the request is signed for; empty for an unsigned request. */
  service: string
  region: string
  /** The path of a REST request. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  /** The operation of a JSON or Query request; the method of a REST request. */
  operation: string
  input: Record<string, unknown>
}

/** Receives requests for all services of AWS at one address. A subclass fakes the operations. */
export abstract class PlayedServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response)
  })

  protected abstract answer(request: Request): Answer

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [status, body] = this.answer(await requestOf(incoming))
    response.writeHead(status, {
      'content-type': body.startsWith('<') ? 'text/xml' : 'application/x-amz-json-1.1',
    })
    response.end(body)
  }
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://aws')
  const [, region = '', service = ''] =
    /Credential=[^/]+\/\d+\/([^/]+)\/([^/]+)\/aws4_request/.exec(
      String(incoming.headers.authorization),
    ) ?? []
  const body = await text(incoming)
  const isQuery = String(incoming.headers['content-type']).includes('x-www-form-urlencoded')
  const input: Record<string, unknown> = isQuery
    ? Object.fromEntries(new URLSearchParams(body))
    : (JSON.parse(body || '{}') as Record<string, unknown>)
  const target = incoming.headers['x-amz-target']
  const operation =
    typeof target === 'string'
      ? (target.split('.')[1] ?? '')
      : String(input['Action'] ?? incoming.method)
  const { headers } = incoming
  return { service, region, path: pathname, query: searchParams, headers, operation, input }
}

export const json = (body: object): Answer => [200, JSON.stringify(body)]
export const jsonError = (code: string, message: string, status = 400): Answer => [
  status,
  JSON.stringify({ __type: code, message, Message: message }),
]
