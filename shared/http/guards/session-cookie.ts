import { parse } from 'hono/utils/cookie'

/** The cookie that holds a session: spec.md, Session. */
export const sessionCookie = 'service-session'

/** The maximum number of session cookies; browsers have fewer in normal use. */
const maxCookies = 4

/** The values of a request's session cookies. */
export function sessionCookies(request: Request): string[] {
  return cookieValues(request, sessionCookie)
}

/**
 * Returns the values of all cookies with one name. Another host under the same domain can set a cookie with this name,
 * and the two cannot be distinguished, so all values are returned. If there are too many, none is returned.
 */
export function cookieValues(request: Request, name: string): string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';')
  const values = pairs.map((pair) => parse(pair, name)[name])
  const distinct = new Set(values.filter((value) => value !== undefined && value !== ''))
  return distinct.size > maxCookies ? [] : ([...distinct] as string[])
}
