import http from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'

const options = {
  // Kept alive, because a handshake would cost more than the rest of the request. The agent itself stores and resumes
  // TLS sessions.
  keepAlive: true,
  // Below the 60 s after which common load balancers close an idle connection. If a server announces an earlier
  // close (`Keep-Alive: timeout=5`), the agent closes a second earlier.
  timeout: 55_000,
  // High, because it only limits floods: a container that runs by the hour (shared/http/server) has hundreds of
  // concurrent streams to one provider. Calls above the limit wait for a connection within their own timeouts.
  maxSockets: 2048,
  maxFreeSockets: 64,
} as const

const connections = () => ({
  'http:': { request: http.request, agent: new http.Agent(options) },
  'https:': { request: https.request, agent: new https.Agent(options) },
})

const trusted = connections()
/**
 * Connections for targets with their own `lookup`. An agent identifies connections only by host and port, so with a
 * shared agent such a target could get a connection to an unchecked address.
 */
const guarded = connections()

/** The target of a request in the form of node:http; the path is sent unchanged. */
export type HttpTarget = Pick<
  http.RequestOptions,
  'protocol' | 'hostname' | 'host' | 'port' | 'path' | 'auth' | 'lookup'
>

/** @param url absolute, http or https */
export function targetOf(url: string): HttpTarget {
  return urlToHttpOptions(new URL(url))
}

/** Returns the module that sends requests to the target, and the agent that keeps its connections open. */
export function connectionsTo({ protocol, lookup }: HttpTarget) {
  const own = lookup === undefined ? trusted : guarded
  return own[protocol === 'https:' ? 'https:' : 'http:']
}
