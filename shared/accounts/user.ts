import type { UserIdentity } from '../http/actor.ts'
import type { SubscriptionStatus } from '../plans/subscriptions.ts'
import type { Item, Key, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'

/** The sort key of the row that is the user. */
export const profileKey = 'profile'

export interface User {
  id: string
  /** In lower case. */
  email: string
  emailVerified: boolean
  /** The address that takes the place of `email` once it is verified. */
  pendingEmail?: string
  name: string
  /**
   * Grows when every session ends, and so do the reset links and the email change under way: what was begun in an
   * earlier epoch is void in the very moment that the number changes.
   */
  accessEpoch: number
  /** Absent for who signs in by a provider or a wallet only. */
  passwordHash?: string
  /** A plan's name, or `free` for none. */
  plan: string
  credits: number
  subscription: { id: string | null; status: SubscriptionStatus; customerId: string | null }
  twoFactorEnabled: boolean
  referralCode: string
  referralCount: number
  /** The code of whoever brought them. */
  referredBy?: string
  agentCount: number
  /** What the user asked to be told of, as the JSON that they sent: the table's own maps would not keep it as it is. */
  notifications?: string
  /** USD a calendar month in UTC. */
  spendCapUsd?: number
  /** Keys of the user's own at model providers, by the provider's name; each sealed for its place. */
  byok?: Readonly<Record<string, string>>
  createdAt: string
}

/** Where an address says whose it is; the row also keeps it unique. */
export function emailKey(email: string): Key {
  return { pk: `email#${email}`, sk: 'email' }
}

/** Where a referral code says whose it is. @param code in upper case */
export function referralKey(code: string): Key {
  return { pk: `referral#${code}`, sk: 'referral' }
}

/** The attributes of a new user's row. */
export function newUser(
  given: Pick<User, 'id' | 'email' | 'name' | 'referralCode' | 'credits'> & Partial<User>,
): User {
  return {
    emailVerified: false,
    accessEpoch: 0,
    plan: 'free',
    subscription: { id: null, status: 'inactive', customerId: null },
    twoFactorEnabled: false,
    referralCount: 0,
    agentCount: 0,
    createdAt: new Date().toISOString(),
    ...given,
  }
}

/** A profile row as the user it holds: only this folder writes whole ones, so their form is known. */
export function toUser(item: Item): User {
  const { pk: _pk, sk: _sk, ...user } = item
  return user as unknown as User
}

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
  return findUser(table, String(row?.userId ?? 'nobody'))
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
    isAdmin: isAdmin(user, adminEmails),
    plan: user.plan,
    subscription: { id: user.subscription.id, status: user.subscription.status },
    spendCapUsd: user.spendCapUsd,
    byok: user.byok,
  }
}
