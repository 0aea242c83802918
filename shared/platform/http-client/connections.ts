import http from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'

const options = {
  // A handshake would cost more than the rest of the request. The agent itself stores and resumes TLS sessions.
  keepAlive: true,
  // Below the 60 s after which common load balancers close an idle connection. If a server announces an earlier
  // close (`Keep-Alive: timeout=5`), the agent closes a second earlier.
  timeout: 55_000,
  // A bound against floods only. Calls beyond it wait for a connection within their own timeouts, and a container
  // that runs by the hour (shared/http/server) holds hundreds of streams to one provider at the same time.
  maxSockets: 2048,
  maxFreeSockets: 64,
} as const

const connections = () => ({
  'http:': { request: http.request, agent: new http.Agent(options) },
  'https:': { request: https.request, agent: new https.Agent(options) },
})

const trusted = connections()
/**
 * Connections for targets with their own `lookup`. An agent identifies connections by host and port only, so a
 * shared agent could give such a target a connection to an address that was never checked.
 */
const guarded = connections()

/** The target of a request in the form that node:http takes; the path is sent exactly as written. */
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
