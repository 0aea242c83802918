import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { hopHeaders } from '../headers.ts'
import type { Admission } from './ask.ts'

/** Headers that only the proxies in front of an agent may set. */
const reserved = /^(?:x-forwarded-|x-agent-|x-router-|forwarded$|x-real-ip$|x-origin-secret$)/

/** Cookies of the platform's own, which no agent may set or clear on its host. */
const ownCookie = /^[\s=]*(?:service-session|(?:__Host-)?agent-access)\s*=/

/**
 * The headers that a request goes on to its agent with: the client's, without what proved who it is and what it has
 * no say in, and with what the gate gave instead.
 */
export function headersForAgent(
  given: IncomingHttpHeaders,
  admission: Admission,
): IncomingHttpHeaders {
  const named = (given.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const dropped = new Set([...hopHeaders, ...named, 'cookie'].filter(isNoFraming))
  const kept = Object.entries(given).filter(([name]) => !dropped.has(name) && !reserved.test(name))
  return {
    ...Object.fromEntries(kept),
    ...(given.upgrade !== undefined && { connection: 'Upgrade', upgrade: given.upgrade }),
    'x-forwarded-host': given.host,
    'x-forwarded-proto': 'http',
    authorization: admission.authorization,
    ...(admission.cookie !== '' && { cookie: admission.cookie }),
  }
}

/** A body whose end is not told any more would begin another request. */
function isNoFraming(name: string): boolean {
  return !['content-length', 'host', 'transfer-encoding'].includes(name)
}

/**
 * Takes out of an agent's answer what reaches beyond its own host: cookies for the parent domain become its host's,
 * the platform's own are dropped, and it can neither clear its neighbours' data nor name another server for its host.
 * @param headers changed in place
 */
export function confine(headers: IncomingHttpHeaders): void {
  for (const name of ['alt-svc', 'clear-site-data', 'keep-alive', 'trailer']) delete headers[name]
  const cookies = headers['set-cookie']?.filter((cookie) => !ownCookie.test(cookie))
  if (cookies !== undefined)
    headers['set-cookie'] = cookies.map((cookie) => cookie.replace(/;\s*domain\s*=[^;]*/gi, ''))
}

/**
 * Makes an agent's answer one that can be passed on: confined, and without what Node reads and then throws at when it
 * is written, which would end this process and the platform with it.
 * @param answer changed in place
 */
export function tame(answer: IncomingMessage): void {
  confine(answer.headers)
  if ((answer.statusCode ?? 0) < 100) answer.statusCode = 502
  // Any byte may stand in it.
  answer.statusMessage = ''
}
