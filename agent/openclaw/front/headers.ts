import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

/** What concerns one connection and not the next: RFC 9110, 7.6.1. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** What a caller says of where it comes from. The token has been checked, and OpenClaw must not judge by hearsay. */
const hearsay = /^(?:forwarded|x-forwarded-.*|x-real-ip)$/

/** A request's headers as OpenClaw gets them. */
export function requestHeaders(given: IncomingHttpHeaders, port: number): OutgoingHttpHeaders {
  const kept = Object.entries(endToEnd(given)).filter(([name]) => !hearsay.test(name))
  return { ...Object.fromEntries(kept), host: `127.0.0.1:${port}` }
}

/** Headers without those of the connection that they came by. */
export function endToEnd(given: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (given.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const dropped = new Set([...hopByHop, ...named])
  return Object.fromEntries(Object.entries(given).filter(([name]) => !dropped.has(name)))
}
