import { randomHex, sha256Hex } from '#shared/platform/crypto.ts'
import { bitsOfId, idOfBits } from '#shared/platform/id-bits.ts'
import { isoOf } from '#shared/platform/times.ts'
import { userRows } from '../rows.ts'
import { type Grant, grantRows } from './rows.ts'

/** contract.md 12. */
export const accessSeconds = 3600
export const refreshSeconds = 90 * 86_400

const accessForm = /^at_[0-9a-f]{32}([0-9a-f]{32})([0-9a-f]{32})$/
const refreshForm = /^rt_([0-9a-f]{32})[0-9a-f]{32}([0-9a-f]{32})([0-9a-f]{32})$/

/** The user and grant in a token, not verified. */
export interface TokenClaims {
  userId: string
  grantId: string
}

/** The tokens of a grant as sent to its program; only their hashes are stored. */
export interface GrantTokens {
  access: string
  refresh: string
}

/**
 * Creates tokens. Each contains its user and its grant, as keys do, so that one read finds both. The refresh tokens
 * of a grant have a common first part, which only its holders know: only a token with this part can end the grant.
 */
export function newTokens({ userId, grantId }: TokenClaims, family = randomHex(16)): GrantTokens {
  const claims = bitsOfId(userRows.id, userId) + bitsOfId(grantRows.id, grantId)
  return {
    access: `at_${randomHex(16)}${claims}`,
    refresh: `rt_${family}${randomHex(16)}${claims}`,
  }
}

/** Returns the stored form of new tokens. @param before the access tokens issued before */
export async function storedTokens(
  { access, refresh }: GrantTokens,
  before: Grant['access'] = [],
  now = Date.now(),
): Promise<Pick<Grant, 'access' | 'familyHash' | 'refreshHash'>> {
  const until = isoOf(now + accessSeconds * 1000)
  return {
    access: [{ hash: await sha256Hex(access), until }, ...before.slice(0, 1)],
    refreshHash: await sha256Hex(refresh),
    familyHash: await sha256Hex(familyOf(refresh)),
  }
}

/** Returns the user and grant in an access token; undefined for any other text. */
export function accessClaims(token: string): TokenClaims | undefined {
  const [, user, grant] = accessForm.exec(token) ?? []
  return claimsOf(user, grant)
}

/** Returns the user and grant in a refresh token; undefined for any other text. */
export function refreshClaims(token: string): TokenClaims | undefined {
  const [, , user, grant] = refreshForm.exec(token) ?? []
  return claimsOf(user, grant)
}

/** Returns the common part of a grant's refresh tokens. */
export function familyOf(refresh: string): string {
  return refreshForm.exec(refresh)?.[1] ?? ''
}

function claimsOf(user: string | undefined, grant: string | undefined): TokenClaims | undefined {
  if (user === undefined || grant === undefined) return undefined
  return { userId: idOfBits(userRows.id, user), grantId: idOfBits(grantRows.id, grant) }
}
