import { randomToken, sha256Hex } from '../platform/crypto.ts'
import type { Key, Table } from '../platform/table/port.ts'
import { resetRows } from './rows.ts'
import type { User } from './user.ts'

/** contract.md 2. */
const validSeconds = 3600

/** Where a reset link's token is known, by its hash alone. */
export async function resetKey(token: string): Promise<Key> {
  return resetRows.key({ tokenHash: await sha256Hex(token) })
}

/**
 * Makes a link that sets a new password. All of a user's links work until one is used, whichever mail arrives last;
 * then none does, nor after any other change of the password or of the address.
 */
export async function newResetLink(
  { table, webUrl }: { table: Table; webUrl: string },
  { user }: { user: User },
): Promise<string> {
  const token = randomToken()
  const { id: userId, email, accessEpoch } = user
  const expiresAt = Math.floor(Date.now() / 1000) + validSeconds
  const tokenHash = await sha256Hex(token)
  await table.put(resetRows.put({ tokenHash }, { userId, email, accessEpoch }, { expiresAt }))
  return `${webUrl}/reset-password?token=${token}`
}

/** Whether a link was made for the user as they are now. */
export function isCurrent(link: Pick<User, 'email' | 'accessEpoch'>, user: User): boolean {
  return link.accessEpoch === user.accessEpoch && link.email === user.email
}
