import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import type { Item, Key } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { verificationRows } from './rows.ts'
import type { User } from './user.ts'

/** contract.md 2. */
const validSeconds = 86_400

/** The data of a verification link. */
export type EmailVerification = ReturnType<typeof verificationRows.parse>

/** Returns the row key of a verification link, made from its token's hash. */
export async function verificationKey(token: string): Promise<Key> {
  return verificationRows.key({ tokenHash: await sha256Hex(token) })
}

/** Creates a link's token and its item. */
export async function newVerification(
  verification: EmailVerification,
): Promise<{ token: string; item: Item }> {
  const token = randomToken()
  const expiresAt = epochSeconds() + validSeconds
  const tokenHash = await sha256Hex(token)
  return { token, item: verificationRows.put({ tokenHash }, verification, { expiresAt }) }
}

/**
 * Creates a link that changes a user's address: the end of the user's sessions, or a later change, makes it void.
 */
export function newAddressChange(user: User, email: string) {
  const from = { email: user.email, accessEpoch: user.accessEpoch }
  return newVerification({ userId: user.id, email, from })
}

/** Returns the link in a verification mail. */
export function verificationLink(webUrl: string, token: string): string {
  return `${webUrl}/api/auth/verify-email?token=${token}`
}
