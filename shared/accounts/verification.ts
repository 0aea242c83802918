import { withoutConflicts } from '../agents/conflict.ts'
import { randomToken, sha256Hex } from '../platform/crypto.ts'
import { type Key, type Table, TransactionFailed, type Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { profileKey } from './user.ts'

/** contract.md 2. */
const validSeconds = 86_400

async function verificationKey(token: string): Promise<Key> {
  return { pk: `verification#${await sha256Hex(token)}`, sk: 'verification' }
}

/** A link's token and the row that knows it, by its hash alone. */
export async function newVerification(
  userId: string,
  email: string,
  now = Date.now(),
): Promise<{ token: string; write: Write }> {
  const token = randomToken()
  const expiresAt = Math.floor(now / 1000) + validSeconds
  return { token, write: { put: { ...(await verificationKey(token)), userId, email, expiresAt } } }
}

/** The link that a verification mail carries. */
export function verificationLink(webUrl: string, token: string): string {
  return `${webUrl}/api/auth/verify-email?token=${token}`
}

/**
 * Marks the address verified that a link was sent to. A link works once, and only while the user still has the
 * address that it proves.
 * @returns whether it worked
 */
export async function verifyEmail(table: Table, token: string): Promise<boolean> {
  const key = await verificationKey(token)
  const row = await table.get(key)
  if (row === undefined) return false
  const profile = userStore(table, String(row.userId)).write.update(profileKey, {
    set: { emailVerified: true },
    if: '#email = :email',
    values: { email: row.email },
  })
  try {
    const used = { delete: key, if: 'attribute_exists(pk)' }
    await withoutConflicts(() => table.transact([used, profile]))
    return true
  } catch (error) {
    if (error instanceof TransactionFailed && (error.refused(0) || error.refused(1))) return false
    throw error
  }
}
