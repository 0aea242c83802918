import type { Context } from 'hono'
import { equalInConstantTime, hmacSha256, toBase64Url } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { sessionCookies } from './session-cookie.ts'

/**
 * Returns a session's CSRF token: only the holder of the session can compute it, and it reveals nothing about the
 * session.
 */
export async function csrfToken(session: string): Promise<string> {
  return toBase64Url(await hmacSha256(session, 'csrf'))
}

/**
 * Refuses a state-changing request that a browser sends from another site with the session cookie: contract.md 2. A
 * request without Origin and Sec-Fetch-Site does not come from a browser and passes.
 */
export async function checkCsrf(context: Context, webUrl: string): Promise<void> {
  if (['GET', 'HEAD', 'OPTIONS'].includes(context.req.method)) return
  const [session, ...others] = sessionCookies(context.req.raw)
  if (session === undefined || !fromElsewhere(context, webUrl)) return
  const token = context.req.header('x-csrf-token') ?? ''
  // With several cookies the token is refused, because an attacker may have added a cookie whose token they know.
  const right = others.length === 0 && (await equalInConstantTime(token, await csrfToken(session)))
  if (!right)
    throw new PlatformError('forbidden', 'The request comes from another site', { code: 'CSRF' })
}

function fromElsewhere(context: Context, webUrl: string): boolean {
  const site = context.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = context.req.header('origin')
  if (origin === undefined || origin === new URL(webUrl).origin) return false
  return !URL.canParse(origin) || new URL(origin).host !== context.req.header('host')
}
