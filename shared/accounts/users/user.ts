import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { emailRows, userRows } from './rows.ts'

/** The sort key of a user's own row. */
export const profileKey = userRows.sk({})

export type User = ReturnType<typeof userRows.parse>

/** Returns the key of an address's row, which contains its user and keeps it unique. */
export function emailKey(email: string): Key {
  return emailRows.key({ email })
}

/** Returns the attributes of a new user's row. */
export function newUser(
  fields: Pick<User, 'id' | 'email' | 'name' | 'referralCode'> & Partial<User>,
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
    ...fields,
  }
}

/** Parses a user's row. */
export const toUser = userRows.parse

/** Returns the user with an id; undefined if it does not exist. */
export async function findUser(table: Table, userId: string): Promise<User | undefined> {
  const item = await userStore(table, userId).get(profileKey)
  return item && toUser(item)
}

/**
 * Finds a user by address with two reads, whether or not the user exists, so that the response time does not reveal it.
 * @param email in lower case
 */
export async function findUserByEmail(table: Table, email: string): Promise<User | undefined> {
  const row = await table.get(emailKey(email))
  return findUser(table, row === undefined ? 'unknown' : emailRows.parse(row).userId)
}

/** Returns whether the user has deleted their account: the row stays for the accounting, and grants no access. */
export function isDeleted({ deletedAt }: Pick<User, 'deletedAt'>): boolean {
  return deletedAt !== undefined
}

/** Returns whether the user is an administrator of the platform: only with a verified address. */
export function isAdmin(user: Pick<User, 'email' | 'emailVerified'>, adminEmails: string[]) {
  return user.emailVerified && adminEmails.includes(user.email)
}

/** Returns the data of a user that every request needs. */
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
    spendCapUsdPerDay: user.spendCapUsdPerDay,
    creditMicroUsd: user.creditMicroUsd,
    useCredits: user.useCredits,
    byok: user.byok,
    ...(user.telemetry && { telemetry: { content: user.telemetry.content } }),
  }
}
