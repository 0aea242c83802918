import { createHash, timingSafeEqual } from 'node:crypto'
import { Problem } from './problem.ts'

/**
 * Makes the check of `Authorization: Bearer <token>`. Digests are compared, so that neither the
 * time taken nor a difference in length tells anything about the token.
 * @returns a function that throws Problem 401 when the header is missing or wrong
 */
export function createAuthorizer(token: string): (header: string | undefined) => void {
  const expected = digest(token)
  return (header) => {
    const given = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return
    throw new Problem(
      401,
      given === undefined ? 'missing_token' : 'invalid_token',
      given === undefined ? 'A bearer token is required' : 'The bearer token is not valid',
      { headers: { 'www-authenticate': 'Bearer' } },
    )
  }
}

function digest(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
