import { toCredits } from '#shared/money/ledger/credit.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Profile } from './settings-schema.ts'
import { findUser, type User } from './user.ts'

/** Returns the current user's profile. @throws PlatformError 404 if the user was deleted in the meantime */
export async function getProfile({
  table,
  actor,
}: Pick<UserContext, 'table' | 'actor'>): Promise<Profile> {
  const user = await findUser(table, actor.user.id)
  if (user === undefined) throw notFound('User')
  return toProfile(user)
}

/** Returns a user's own view of their account. */
export function toProfile(user: User): Profile {
  const {
    id,
    email,
    name,
    plan,
    creditMicroUsd,
    twoFactorEnabled,
    spendCapUsd = null,
    spendCapUsdPerDay = null,
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
    spendCapUsdPerDay,
    ...(useCredits !== undefined && { useCredits }),
    ...(spendAlerts !== undefined && { spendAlerts: [...spendAlerts] }),
    ...(notifications !== undefined && {
      notifications: JSON.parse(notifications) as Record<string, unknown>,
    }),
  }
}
