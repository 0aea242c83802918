import { serialize } from 'hono/utils/cookie'
import { sessionSeconds } from '#shared/accounts/users/session.ts'
import { sessionCookie } from '#shared/http/guards/session-cookie.ts'

/** Returns the Set-Cookie header of a new session: spec.md, Session. Secure except on localhost, which has no TLS. */
export function setSession(session: string, webUrl: string): string {
  return writeCookie(sessionCookie, session, { maxAge: sessionSeconds, webUrl })
}

/** Returns the Set-Cookie header that deletes the session cookie. */
export function clearSession(webUrl: string): string {
  return writeCookie(sessionCookie, '', { maxAge: 0, webUrl })
}

/**
 * Returns the Set-Cookie header of an HttpOnly cookie.
 * @param maxAge in seconds
 */
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
