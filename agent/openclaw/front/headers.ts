import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

/** Headers of one connection only (RFC 9110, section 7.6.1). */
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

/** Headers about the caller's origin. The token has been checked, and OpenClaw must not trust these headers. */
const originHeaders = /^(?:forwarded|platform-(?:connections|lease)|x-forwarded-.*|x-real-ip)$/

/** Returns the headers of a request to OpenClaw. */
export function requestHeaders(headers: IncomingHttpHeaders, port: number): OutgoingHttpHeaders {
  const entries = Object.entries(endToEnd(headers)).filter(([name]) => !originHeaders.test(name))
  return { ...Object.fromEntries(entries), host: `127.0.0.1:${port}` }
}

/** Removes the headers that belong to one connection. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const dropped = new Set([...hopByHop, ...named])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)))
}
