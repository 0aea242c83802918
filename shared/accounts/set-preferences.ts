import { audit } from '../identity/audit.ts'
import type { UserContext } from '../identity/context.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import { changeItem } from '../platform/table/change-item.ts'
import type { Condition, Update } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { toProfile } from './profile.ts'
import type { Preferences, Profile } from './settings-schema.ts'
import { profileKey, toUser, type User } from './user.ts'

/**
 * Stores what a user prefers; what is left out stays. The spend cap decides over money, so a change of it stands in the
 * audit.
 * @throws PlatformError as updateUser does
 */
export async function setPreferences(
  ctx: Pick<UserContext, 'table' | 'actor' | 'requestId'>,
  preferences: Preferences,
): Promise<Profile> {
  const { id: userId, accessEpoch } = ctx.actor.user
  let stored: User | undefined
  await changeItem(userStore(ctx.table, userId).row(profileKey), async (row) => {
    if (row === undefined) throw notFound('User')
    const user = toUser(row)
    if (user.accessEpoch !== accessEpoch) throw new PlatformError('unauthorized', 'Unauthorized')
    stored = preferring(user, preferences)
    const { spendCapUsd: before = null } = user
    const { spendCapUsd: after = null } = stored
    return {
      update: replacing(user, stored),
      ...(before !== after && {
        also: {
          audit: await audit(ctx, 'cap.changed', {
            userId,
            target: userId,
            before: { spendCapUsd: before },
            after: { spendCapUsd: after },
          }),
        },
      }),
    }
  })
  if (stored === undefined) throw notFound('User')
  return toProfile(stored)
}

function preferring(
  { spendCapUsd: cap, ...user }: User,
  { name = user.name, notifications, spendCapUsd = cap }: Preferences,
): User {
  return {
    ...user,
    name,
    ...(notifications !== undefined && { notifications: JSON.stringify(notifications) }),
    ...(typeof spendCapUsd === 'number' && { spendCapUsd }),
  }
}

/** Writes what differs, on condition that the cap is as it was read. */
function replacing(before: User, next: User): Update & Required<Condition> {
  const { accessEpoch, spendCapUsd: cap } = before
  const same = cap === undefined ? 'attribute_not_exists(#spendCapUsd)' : '#spendCapUsd = :cap'
  const { name, notifications, spendCapUsd } = next
  return {
    set: {
      // The table takes no update that changes nothing.
      accessEpoch,
      ...(name !== before.name && { name }),
      ...(notifications !== before.notifications && { notifications }),
      ...(spendCapUsd !== undefined && { spendCapUsd }),
    },
    remove: spendCapUsd === undefined ? ['spendCapUsd'] : [],
    if: `#accessEpoch = :accessEpoch AND ${same}`,
    values: { accessEpoch, ...(cap !== undefined && { cap }) },
  }
}
