import { parse } from 'hono/utils/cookie'

/** The cookie that holds a session: spec.md, Session. */
export const sessionCookie = 'service-session'

/** More of them than any browser has for an honest reason. */
const most = 4

/** The values of a request's session cookies. */
export function sessionCookies(request: Request): string[] {
  return cookieValues(request, sessionCookie)
}

/**
 * The values of a request's cookies of one name. A neighbour under the same domain can set cookies of this name too, and
 * nothing tells theirs from ours, so all of them count; a crowd of them counts as none.
 */
export function cookieValues(request: Request, name: string): string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';')
  const values = pairs.map((pair) => parse(pair, name)[name])
  const distinct = new Set(values.filter((value) => value !== undefined && value !== ''))
  return distinct.size > most ? [] : ([...distinct] as string[])
}
