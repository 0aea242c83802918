import * as z from 'zod'
import { epochSeconds } from '#shared/platform/times.ts'
import { accessSeconds } from './cookie.ts'
import { readClaims, signClaims } from './signed-claims.ts'

const purpose = 'agent-access'

/** The claims of an access cookie. The user can access the agent's host while the session or key is valid. */
export const accessClaims = z.object({
  agentId: z.string(),
  userId: z.string(),
  /** The user's access epoch. Access ends when all of the user's sessions end. */
  accessEpoch: z.number(),
  /** The sort key of the row of the session or key. Access ends when the row is deleted. */
  credential: z.string(),
})

export type AccessClaims = z.output<typeof accessClaims>

/**
 * Signs the value of an access cookie, valid for twelve hours.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export function signAccess(
  encryptionKey: string,
  claims: AccessClaims,
  now = Date.now(),
): Promise<string> {
  const expiresAt = epochSeconds(now) + accessSeconds
  return signClaims(encryptionKey, purpose, { ...claims, expiresAt })
}

/** Verifies a cookie. Undefined if its signature is invalid or it has expired. */
export function readAccess(
  encryptionKey: string,
  value: string,
  now = Date.now(),
): Promise<AccessClaims | undefined> {
  return readClaims(encryptionKey, { purpose, value, schema: accessClaims }, now)
}
