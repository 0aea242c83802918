import * as z from 'zod'
import type { UserIdentity } from '../http/actor.ts'
import { subscriptionStatuses } from '../plans/subscriptions.ts'
import type { Key, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'

/** The sort key of the row that is the user. */
export const profileKey = 'profile'

const storedUser = z.object({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  /** Absent for who signs in by a provider or a wallet only. */
  passwordHash: z.string().optional(),
  plan: z.string(),
  credits: z.number(),
  subscription: z.object({
    id: z.string().nullable(),
    status: z.enum(subscriptionStatuses),
    customerId: z.string().nullable(),
  }),
  twoFactorEnabled: z.boolean().default(false),
  referralCode: z.string(),
  referralCount: z.number().default(0),
  agentCount: z.number().default(0),
  notifications: z.record(z.string(), z.unknown()).default({}),
  createdAt: z.string(),
})

export type User = z.output<typeof storedUser>

/** Where an address says whose it is; the row also keeps it unique. */
export function emailKey(email: string): Key {
  return { pk: `email#${email}`, sk: 'email' }
}

/** Where a referral code says whose it is. @param code in upper case */
export function referralKey(code: string): Key {
  return { pk: `referral#${code}`, sk: 'referral' }
}

/** A profile row as the user it holds. @throws ZodError for a row that no version of this code wrote */
export function toUser(item: Record<string, unknown>): User {
  return storedUser.parse(item)
}

export async function findUser(table: Table, userId: string): Promise<User | undefined> {
  const item = await userStore(table, userId).get(profileKey)
  return item && toUser(item)
}

/** @param email in lower case */
export async function findUserByEmail(table: Table, email: string): Promise<User | undefined> {
  const row = await table.get(emailKey(email))
  return row && findUser(table, String(row.userId))
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
    isAdmin: isAdmin(user, adminEmails),
    plan: user.plan,
    subscription: { id: user.subscription.id, status: user.subscription.status },
  }
}
