import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { isExpired } from '../users/api-key.ts'
import { grantRows } from '../users/grants/rows.ts'
import { keyRows, sessionRows } from '../users/rows.ts'

/**
 * Returns the sort key of the row of a caller's own credential, in the caller's partition: the credential is valid
 * while the row exists.
 */
export function credentialRow({ grantId, keyDigest, sessionHash = '' }: UserIdentity): string {
  if (grantId !== undefined) return grantRows.sk({ grantId })
  return keyDigest === undefined
    ? sessionRows.sk({ tokenHash: sessionHash })
    : keyRows.sk({ digest: keyDigest })
}

/**
 * Returns whether a caller's own credential is an expired key; the table hides expired sessions.
 * @param sortKey the result of `credentialRow`
 */
export function isExpiredCredential(sortKey: string, row: Item): boolean {
  if (!sortKey.startsWith(keyRows.prefix())) return false
  return isExpired({ expiresAt: keyRows.parse(row).validUntil ?? null })
}
