import { serialize } from 'hono/utils/cookie'
import { sessionSeconds } from '../../../shared/accounts/session.ts'
import { sessionCookie } from '../../../shared/http/guards/session-cookie.ts'

/** Set-Cookie of a new session: spec.md, Session. Secure everywhere but on one's own machine, which has no TLS. */
export function setSession(session: string, webUrl: string): string {
  return writeCookie(sessionCookie, session, { maxAge: sessionSeconds, webUrl })
}

/** Set-Cookie that ends what the browser holds. */
export function clearSession(webUrl: string): string {
  return writeCookie(sessionCookie, '', { maxAge: 0, webUrl })
}

/** Set-Cookie of a cookie that no script reads. @param maxAge in seconds */
export function writeCookie(
  name: string,
  value: string,
  { maxAge, webUrl }: { maxAge: number; webUrl: string },
): string {
  const secure = !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(webUrl).hostname)
  return serialize(name, value, {
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    maxAge,
    secure,
  })
}
