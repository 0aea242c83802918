import { grantRows } from '../accounts/grants/rows.ts'
import { keyRows, sessionRows } from '../accounts/rows.ts'
import type { UserIdentity } from '../identity/actor.ts'
import type { Item } from '../platform/table/port.ts'
import { isExpired } from '../accounts/api-key.ts'

/** The sort key of the row that a caller's own credential is, in the caller's partition: with it the credential ends. */
export function credentialRow({ grantId, keyDigest, sessionHash = '' }: UserIdentity): string {
  if (grantId !== undefined) return grantRows.sk({ grantId })
  return keyDigest === undefined
    ? sessionRows.sk({ tokenHash: sessionHash })
    : keyRows.sk({ digest: keyDigest })
}

/**
 * Returns whether a caller's own credential is a key whose time is over; of sessions the table keeps none.
 * @param sortKey what `credentialRow` says
 */
export function isExpiredCredential(sortKey: string, row: Item): boolean {
  if (!sortKey.startsWith(keyRows.prefix())) return false
  return isExpired({ expiresAt: keyRows.parse(row).validUntil ?? null })
}
