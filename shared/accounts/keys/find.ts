import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { type ApiKey, isEnded, isExpired, keyRowKey, toApiKey } from '../users/api-key.ts'
import { isDeleted, profileKey, toUser, type User } from '../users/user.ts'
import { claimedOwner } from './secret.ts'

export interface FoundKey {
  key: ApiKey
  /** The key's user in its current state. */
  user: User
}

/**
 * Finds a key and its user with one read; revoked and expired keys are not found. A text that does not have the form of
 * a key costs no read; a wrong key costs the same read whether or not its user id exists.
 */
export async function findKey(table: Table, secret: string): Promise<FoundKey | undefined> {
  const userId = claimedOwner(secret)
  if (userId === undefined) return undefined
  const pk = userPartition(userId)
  const [profile, row] = await table.getMany([
    { pk, sk: profileKey },
    { pk, sk: keyRowKey(await sha256Hex(secret)) },
  ])
  if (profile === undefined || row === undefined) return undefined
  const found = { key: toApiKey(row), user: toUser(profile) }
  const over = isEnded(found.key, found.user) || isExpired(found.key) || isDeleted(found.user)
  return over ? undefined : found
}
