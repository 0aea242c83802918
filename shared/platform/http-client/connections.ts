import http from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'

const options = {
  // A handshake would cost more than all else that is done here. TLS sessions are kept and resumed by the agent itself.
  keepAlive: true,
  // Below the 60 s after which common load balancers drop an idle connection. Where a server drops it earlier and
  // says so (`Keep-Alive: timeout=5`), the agent stays a second below that.
  timeout: 55_000,
  // A bound against a flood alone. Calls beyond wait for a connection within their own timeouts, and a container that
  // runs by the hour (shared/http/server) holds hundreds of streams to one provider at once.
  maxSockets: 2048,
  maxFreeSockets: 64,
} as const

const connections = () => ({
  'http:': { request: http.request, agent: new http.Agent(options) },
  'https:': { request: https.request, agent: new https.Agent(options) },
})

const trusted = connections()
/**
 * Of targets that say themselves what their names lead to: an agent knows connections by host and port alone, and
 * would hand such a target one to an address that was never looked at.
 */
const guarded = connections()

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
export function connectionsTo({ protocol, lookup }: HttpTarget) {
  const own = lookup === undefined ? trusted : guarded
  return own[protocol === 'https:' ? 'https:' : 'http:']
}
