import type { UserIdentity } from '../identity/actor.ts'
import type { Key, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { emailRows, userRows } from './rows.ts'

/** The sort key of a user's own row. */
export const profileKey = userRows.sk({})

export type User = ReturnType<typeof userRows.parse>

/** Where an address says whose it is; the row also keeps it unique. */
export function emailKey(email: string): Key {
  return emailRows.key({ email })
}

/** The attributes of a new user's row. */
export function newUser(
  given: Pick<User, 'id' | 'email' | 'name' | 'referralCode'> & Partial<User>,
): User {
  return {
    emailVerified: false,
    accessEpoch: 0,
    plan: 'free',
    subscription: { id: null, status: 'inactive', customerId: null },
    creditMicroUsd: 0,
    twoFactorEnabled: false,
    referralCount: 0,
    agentCount: 0,
    createdAt: new Date().toISOString(),
    ...given,
  }
}

/** The user that a profile row holds. */
export const toUser = userRows.parse

/** The user of an id; undefined where there is none. */
export async function findUser(table: Table, userId: string): Promise<User | undefined> {
  const item = await userStore(table, userId).get(profileKey)
  return item && toUser(item)
}

/**
 * Reads twice whether or not there is such a user, so that the time it takes does not tell.
 * @param email in lower case
 */
export async function findUserByEmail(table: Table, email: string): Promise<User | undefined> {
  const row = await table.get(emailKey(email))
  return findUser(table, row === undefined ? 'unknown' : emailRows.parse(row).userId)
}

/** Whether a user has deleted their account: the row is kept for the books, and opens nothing. */
export function isDeleted({ deletedAt }: Pick<User, 'deletedAt'>): boolean {
  return deletedAt !== undefined
}

/** Whether a user administrates the platform: only with an address that is proven theirs. */
export function isAdmin(user: Pick<User, 'email' | 'emailVerified'>, adminEmails: string[]) {
  return user.emailVerified && adminEmails.includes(user.email)
}

/** What every request needs to know of a user. */
export function toIdentity(user: User, adminEmails: string[]): UserIdentity {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    emailVerified: user.emailVerified,
    accessEpoch: user.accessEpoch,
    keyEpoch: user.keyEpoch,
    isAdmin: isAdmin(user, adminEmails),
    plan: user.plan,
    subscription: { id: user.subscription.id, status: user.subscription.status },
    spendCapUsd: user.spendCapUsd,
    creditMicroUsd: user.creditMicroUsd,
    useCredits: user.useCredits,
    byok: user.byok,
    ...(user.telemetry && { telemetry: { content: user.telemetry.content } }),
  }
}
