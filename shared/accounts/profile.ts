import { notFound } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import type { Profile } from './settings-schema.ts'
import { findUser, type User } from './user.ts'

/** The current user's profile. @throws PlatformError 404 for a user who was deleted meanwhile */
export async function getProfile(table: Table, userId: string): Promise<Profile> {
  const user = await findUser(table, userId)
  if (user === undefined) throw notFound('User')
  return toProfile(user)
}

/** What a user sees of themselves. */
export function toProfile(user: User): Profile {
  const { id, email, name, plan, credits, twoFactorEnabled, notifications } = user
  return {
    id,
    email,
    name,
    plan,
    credits,
    twoFactorEnabled,
    ...(notifications !== undefined && {
      notifications: JSON.parse(notifications) as Record<string, unknown>,
    }),
  }
}
