import { randomToken, sha256Hex } from '../platform/crypto.ts'
import type { Item, Key } from '../platform/table/port.ts'
import { verificationRows } from './rows.ts'
import type { User } from './user.ts'

/** contract.md 2. */
const validSeconds = 86_400

/** What a verification link stands for. */
export type Verification = ReturnType<typeof verificationRows.parse>

/** Where a verification link's token is known, by its hash alone. */
export async function verificationKey(token: string): Promise<Key> {
  return verificationRows.key({ tokenHash: await sha256Hex(token) })
}

/** A link's token and the item that knows it. */
export async function newVerification(
  verification: Verification,
): Promise<{ token: string; item: Item }> {
  const token = randomToken()
  const expiresAt = Math.floor(Date.now() / 1000) + validSeconds
  const tokenHash = await sha256Hex(token)
  return { token, item: verificationRows.put({ tokenHash }, verification, { expiresAt }) }
}

/** A link that moves a user to another address: the end of their sessions, or a later change, makes it void. */
export function newAddressChange(user: User, email: string) {
  const from = { email: user.email, accessEpoch: user.accessEpoch }
  return newVerification({ userId: user.id, email, from })
}

/** The link that a verification mail carries. */
export function verificationLink(webUrl: string, token: string): string {
  return `${webUrl}/api/auth/verify-email?token=${token}`
}
