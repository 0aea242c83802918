import { randomToken, sha256Hex } from '../platform/crypto.ts'
import type { Item, Key, Table } from '../platform/table/port.ts'
import type { User } from './user.ts'

/** contract.md 2. */
const validSeconds = 3600

/** Where a reset link's token is known, by its hash alone. */
export async function resetKey(token: string): Promise<Key> {
  return { pk: `reset#${await sha256Hex(token)}`, sk: 'reset' }
}

/**
 * Makes a link that sets a new password. All of a user's links work until one is used, whichever mail arrives last;
 * then none does, nor after any other change of the password or of the address.
 */
export async function newResetLink(table: Table, user: User, webUrl: string): Promise<string> {
  const token = randomToken()
  await table.put({
    ...(await resetKey(token)),
    userId: user.id,
    email: user.email,
    accessEpoch: user.accessEpoch,
    expiresAt: Math.floor(Date.now() / 1000) + validSeconds,
  })
  return `${webUrl}/reset-password?token=${token}`
}

/** Whether a link was made for the user as they are now. */
export function isCurrent(link: Item, user: User): boolean {
  return link.accessEpoch === user.accessEpoch && link.email === user.email
}
