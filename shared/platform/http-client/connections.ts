import http from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'

const options = {
  // A handshake would cost more than all else that is done here. TLS sessions are kept and resumed by the agent itself.
  keepAlive: true,
  // Below the 60 s after which common load balancers drop an idle connection. Where a server drops it earlier and
  // says so (`Keep-Alive: timeout=5`), the agent stays a second below that.
  timeout: 55_000,
  // Calls beyond wait for a connection within their own timeouts; no server takes so many of one process at once.
  maxSockets: 256,
  maxFreeSockets: 64,
} as const

const plain = { request: http.request, agent: new http.Agent(options) }
const secure = { request: https.request, agent: new https.Agent(options) }

/** Where a request goes, as node:http takes it; a path goes out as it is written. */
export type HttpTarget = Pick<
  http.RequestOptions,
  'protocol' | 'hostname' | 'host' | 'port' | 'path' | 'auth' | 'lookup'
>

/** @param url absolute, http or https */
export function targetOf(url: string): HttpTarget {
  return urlToHttpOptions(new URL(url))
}

/** What sends a request there, and the connections that are kept open for the next ones. */
export function connectionsTo({ protocol }: HttpTarget): typeof plain | typeof secure {
  return protocol === 'https:' ? secure : plain
}
