import type { UserContext } from '../identity/context.ts'
import { toCredits } from '../ledger/credit.ts'
import { notFound } from '../platform/errors.ts'
import type { Profile } from './settings-schema.ts'
import { findUser, type User } from './user.ts'

/** The current user's profile. @throws PlatformError 404 for a user who was deleted meanwhile */
export async function getProfile({
  table,
  actor,
}: Pick<UserContext, 'table' | 'actor'>): Promise<Profile> {
  const user = await findUser(table, actor.user.id)
  if (user === undefined) throw notFound('User')
  return toProfile(user)
}

/** What a user sees of themselves. */
export function toProfile(user: User): Profile {
  const {
    id,
    email,
    name,
    plan,
    creditMicroUsd,
    twoFactorEnabled,
    spendCapUsd = null,
    useCredits,
    spendAlerts,
    notifications,
  } = user
  return {
    id,
    email,
    name,
    plan,
    credits: toCredits(creditMicroUsd),
    twoFactorEnabled,
    spendCapUsd,
    ...(useCredits !== undefined && { useCredits }),
    ...(spendAlerts !== undefined && { spendAlerts: [...spendAlerts] }),
    ...(notifications !== undefined && {
      notifications: JSON.parse(notifications) as Record<string, unknown>,
    }),
  }
}
