import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { Problem } from './problem.ts'

/** Checks an Authorization header. @throws Problem 401 */
export type Authorize = (header: string | undefined) => void

/**
 * Returns the check of `Authorization: Bearer <token>`. It compares digests, so that neither the duration nor the length
 * reveals anything about the token.
 */
export function createAuthorizer(token: string): Authorize {
  const expected = digest(token)
  return (header) => {
    const provided = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (provided !== undefined && timingSafeEqual(digest(provided), expected)) return
    throw new Problem(
      401,
      provided === undefined ? 'missing_token' : 'invalid_token',
      provided === undefined ? 'A bearer token is required' : 'The bearer token is not valid',
      { headers: { 'www-authenticate': 'Bearer' } },
    )
  }
}

/** Requires the token for the routes after it, and rejects paths that cannot be decoded. */
export function guard(authorize: Authorize): MiddlewareHandler {
  return async (c, next) => {
    authorize(c.req.header('authorization'))
    checkEncoding(c.req.path)
    await next()
  }
}

function checkEncoding(path: string): void {
  try {
    decodeURIComponent(path)
  } catch (cause) {
    throw new Problem(400, 'invalid_path', 'The path is not valid percent-encoding', { cause })
  }
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
