import type { UserContext } from '../identity/context.ts'
import { toProfile } from './profile.ts'
import type { Preferences, Profile } from './settings-schema.ts'
import { updateUser } from './update-user.ts'

/** Stores what a user prefers; what is left out stays. @throws PlatformError as updateUser does */
export async function setPreferences(
  ctx: Pick<UserContext, 'table' | 'actor'>,
  { name, notifications, spendCapUsd }: Preferences,
): Promise<Profile> {
  const user = await updateUser(ctx, {
    set: {
      ...(name !== undefined && { name }),
      ...(notifications !== undefined && { notifications: JSON.stringify(notifications) }),
      ...(typeof spendCapUsd === 'number' && { spendCapUsd }),
    },
    remove: spendCapUsd === null ? ['spendCapUsd'] : [],
  })
  return toProfile(user)
}
