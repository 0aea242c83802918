import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { resetRows } from './rows.ts'
import type { User } from './user.ts'

/** contract.md 2. */
const validSeconds = 3600

/** Returns the row key of a reset link, made from its token's hash. */
export async function resetKey(token: string): Promise<Key> {
  return resetRows.key({ tokenHash: await sha256Hex(token) })
}

/**
 * Creates a link that sets a new password. All of a user's links work until one is used, in any order of arrival;
 * then all are void, as after any other change of the password or address.
 */
export async function newResetLink(
  { table, webUrl }: { table: Table; webUrl: string },
  { user }: { user: User },
): Promise<string> {
  const token = randomToken()
  const { id: userId, email, accessEpoch } = user
  const expiresAt = epochSeconds() + validSeconds
  const tokenHash = await sha256Hex(token)
  await table.put(resetRows.put({ tokenHash }, { userId, email, accessEpoch }, { expiresAt }))
  return `${webUrl}/reset-password?token=${token}`
}

/** Returns whether the user has not changed since the link was made. */
export function isCurrent(link: Pick<User, 'email' | 'accessEpoch'>, user: User): boolean {
  return link.accessEpoch === user.accessEpoch && link.email === user.email
}
