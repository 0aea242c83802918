import { parse } from 'hono/utils/cookie'

/** The cookie that holds a session: spec.md, Session. */
export const sessionCookie = 'service-session'

/** More of them than any browser has for an honest reason. */
const most = 4

/**
 * The values of a request's session cookies. A neighbour under the same domain can set cookies of this name too, and
 * nothing tells theirs from ours, so all of them count; a crowd of them counts as none.
 */
export function sessionCookies(request: Request): string[] {
  const pairs = (request.headers.get('cookie') ?? '').split(';')
  const values = pairs.map((pair) => parse(pair, sessionCookie)[sessionCookie])
  const distinct = new Set(values.filter((value) => value !== undefined && value !== ''))
  return distinct.size > most ? [] : ([...distinct] as string[])
}
