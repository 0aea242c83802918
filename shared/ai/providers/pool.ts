import http, { type RequestOptions } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'

const options = {
  // A handshake would cost more than all else that is done here. TLS sessions are kept and resumed by the agent itself.
  keepAlive: true,
  // Below the 60 s after which common load balancers drop an idle connection. Where a provider drops it earlier and
  // says so (`Keep-Alive: timeout=5`), the agent stays a second below that.
  timeout: 55_000,
  // Calls beyond wait for a connection within their own timeout; no provider takes so many of one process at once.
  maxSockets: 256,
  maxFreeSockets: 64,
} as const

const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }

/** An address as node:http wants it, with the connections that lead there. */
export interface Destination extends RequestOptions {
  agent: http.Agent
  request: typeof http.request
}

const destinations = new Map<string, Destination>()

/** @param url of a provider, of which there are few: what is parsed is kept */
export function destinationOf(url: string): Destination {
  let destination = destinations.get(url)
  if (destination === undefined) {
    const parsed = new URL(url)
    const { request } = parsed.protocol === 'https:' ? https : http
    const agent = agents[parsed.protocol === 'https:' ? 'https:' : 'http:']
    destination = { ...urlToHttpOptions(parsed), agent, request }
    destinations.set(url, destination)
  }
  return destination
}
