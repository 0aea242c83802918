import { isDeepStrictEqual } from 'node:util'
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
 * Stores what a user prefers; what is left out stays. The spend cap and the use of credits decide over money, so a
 * change of them stands in the audit.
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
    const [before, after] = [spendingOf(user), spendingOf(stored)]
    return {
      update: replacing(user, stored),
      ...(!isDeepStrictEqual(before, after) && {
        also: {
          audit: await audit(ctx, 'cap.changed', {
            userId,
            target: userId,
            before,
            after,
          }),
        },
      }),
    }
  })
  if (stored === undefined) throw notFound('User')
  return toProfile(stored)
}

/** What the audit tells of; whether credits are used, once the user has said so. */
function spendingOf(user: User) {
  const { spendCapUsd = null, useCredits } = user
  return { spendCapUsd, ...(useCredits !== undefined && { useCredits }) }
}

function preferring(
  { spendCapUsd: cap, ...user }: User,
  { name = user.name, notifications, spendCapUsd = cap, useCredits = user.useCredits }: Preferences,
): User {
  return {
    ...user,
    name,
    ...(notifications !== undefined && { notifications: JSON.stringify(notifications) }),
    ...(typeof spendCapUsd === 'number' && { spendCapUsd }),
    ...(useCredits !== undefined && { useCredits }),
  }
}

/** Writes what differs, on condition that the cap and the use of credits are as they were read. */
function replacing(before: User, next: User): Update & Required<Condition> {
  const { accessEpoch, spendCapUsd: cap, useCredits: use } = before
  const sameCap = cap === undefined ? 'attribute_not_exists(#spendCapUsd)' : '#spendCapUsd = :cap'
  const sameUse = use === undefined ? 'attribute_not_exists(#useCredits)' : '#useCredits = :use'
  const { name, notifications, spendCapUsd, useCredits } = next
  return {
    set: {
      // The table takes no update that changes nothing.
      accessEpoch,
      ...(name !== before.name && { name }),
      ...(notifications !== before.notifications && { notifications }),
      ...(spendCapUsd !== undefined && { spendCapUsd }),
      ...(useCredits !== undefined && { useCredits }),
    },
    remove: spendCapUsd === undefined ? ['spendCapUsd'] : [],
    if: `#accessEpoch = :accessEpoch AND ${sameCap} AND ${sameUse}`,
    values: {
      accessEpoch,
      ...(cap !== undefined && { cap }),
      ...(use !== undefined && { use }),
    },
  }
}
