import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { hopHeaders } from '../headers.ts'
import type { Admission } from './ask.ts'

/** Headers that only the proxies in front of an agent may set. */
const reserved =
  /^(?:x-forwarded-|x-agent-|x-router-|platform-lease$|forwarded$|x-real-ip$|x-origin-secret$)/

/** The platform's own cookies, which an agent must not set or clear on its host. */
const ownCookie = /^[\s=]*(?:service-session|(?:__Host-)?agent-access)\s*=/

/**
 * Returns the headers of the request to the agent: the client's, without its credentials and reserved headers, plus the
 * headers from the gate.
 */
export function headersForAgent(
  headers: IncomingHttpHeaders,
  admission: Admission,
): IncomingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const dropped = new Set([...hopHeaders, ...named, 'cookie'].filter(isNoFraming))
  const entries = Object.entries(headers).filter(
    ([name]) => !dropped.has(name) && !reserved.test(name),
  )
  return {
    ...Object.fromEntries(entries),
    ...(headers.upgrade !== undefined && { connection: 'Upgrade', upgrade: headers.upgrade }),
    'x-forwarded-host': headers.host,
    'x-forwarded-proto': 'http',
    authorization: admission.authorization,
    ...(admission.cookie !== '' && { cookie: admission.cookie }),
  }
}

/** Without its framing headers, the rest of a body would be read as another request. */
function isNoFraming(name: string): boolean {
  return !['content-length', 'host', 'transfer-encoding'].includes(name)
}

/**
 * Removes from an agent's response what affects more than its own host. Cookies for the parent domain are limited to the
 * host; the platform's cookies, `clear-site-data` and `alt-svc` are removed.
 * @param headers changed in place
 */
export function confine(headers: IncomingHttpHeaders): void {
  for (const name of ['alt-svc', 'clear-site-data', 'keep-alive', 'trailer']) delete headers[name]
  const cookies = headers['set-cookie']?.filter((cookie) => !ownCookie.test(cookie))
  if (cookies !== undefined)
    headers['set-cookie'] = cookies.map((cookie) => cookie.replace(/;\s*domain\s*=[^;]*/gi, ''))
}

/**
 * Makes an agent's response safe to forward: confines it, and removes what Node accepts when it reads a response but
 * rejects when it writes one. That error would crash this process, and the platform with it.
 * @param answer changed in place
 */
export function sanitizeResponse(answer: IncomingMessage): void {
  confine(answer.headers)
  if ((answer.statusCode ?? 0) < 100) answer.statusCode = 502
  // It may contain any byte.
  answer.statusMessage = ''
}
