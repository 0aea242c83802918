import { capsIn, raisesCap, spendCaps } from '#shared/money/amounts/cap.ts'
import { notFound, PlatformError, scopeRequired } from '#shared/platform/errors.ts'
import { mayMoveMoney } from '#shared/platform/identity/actor.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Condition, Update, Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { toProfile } from './profile.ts'
import { alertIndex, spendAlertRows } from './rows.ts'
import type { Preferences, Profile } from './settings-schema.ts'
import { profileKey, toUser, type User } from './user.ts'

/**
 * Stores a user's preferences; omitted ones stay unchanged.
 * @throws PlatformError 403 SCOPE_REQUIRED if a key without the scope `money` raises or removes the cap stored at
 * the time of the write, or enables the use of credits; and the errors of updateUser
 */
export async function setPreferences(
  ctx: Pick<UserContext, 'table' | 'actor'>,
  preferences: Preferences,
): Promise<Profile> {
  const { id: userId, accessEpoch, ...caller } = ctx.actor.user
  let stored: User | undefined
  await changeItem(userStore(ctx.table, userId).row(profileKey), (row) => {
    if (row === undefined) throw notFound('User')
    const user = toUser(row)
    if (user.accessEpoch !== accessEpoch) throw new PlatformError('unauthorized', 'Unauthorized')
    stored = preferring(user, preferences)
    if (!mayMoveMoney(caller) && lifts(user, stored)) throw scopeRequired('money')
    return {
      update: replacing(user, stored),
      ...(preferences.spendAlerts !== undefined && {
        also: { alerts: alertsOf(userId, preferences.spendAlerts) },
      }),
    }
  })
  if (stored === undefined) throw notFound('User')
  return toProfile(stored)
}

function preferring(
  { spendCapUsd: cap, spendCapUsdPerDay: dayCap, ...user }: User,
  {
    name = user.name,
    notifications,
    spendCapUsd = cap,
    spendCapUsdPerDay = dayCap,
    useCredits = user.useCredits,
    spendAlerts,
  }: Preferences,
): User {
  return {
    ...user,
    name,
    ...(notifications !== undefined && { notifications: JSON.stringify(notifications) }),
    ...(typeof spendCapUsd === 'number' && { spendCapUsd }),
    ...(typeof spendCapUsdPerDay === 'number' && { spendCapUsdPerDay }),
    ...(useCredits !== undefined && { useCredits }),
    ...(spendAlerts !== undefined && { spendAlerts }),
  }
}

/** True if a change allows more spending. An unset `useCredits` counts as false. */
function lifts(before: User, next: User): boolean {
  const usesCredits = next.useCredits === true && before.useCredits !== true
  return usesCredits || spendCaps.some((name) => raisesCap(before[name], next[name]))
}

/**
 * Returns the write that puts the user into the index of spend alerts, or removes it; this month's sent alerts
 * stay.
 */
function alertsOf(userId: string, percents: number[]): Write {
  const any = percents.length > 0
  return {
    update: spendAlertRows.key({ userId }),
    set: { userId, percents, ...(any && alertIndex(userId)) },
    ...(!any && { remove: ['gsi1pk', 'gsi1sk'] }),
  }
}

/** Returns an update of the changed attributes, on condition that the caps and the use of credits are as read. */
function replacing(before: User, next: User): Update & Required<Condition> {
  const { accessEpoch } = before
  const { name, notifications, useCredits, spendAlerts } = next
  const unchanged = ([...spendCaps, 'useCredits'] as const).map((field) => ({
    field,
    value: before[field],
  }))
  return {
    set: {
      // The table rejects updates that change nothing.
      accessEpoch,
      ...(name !== before.name && { name }),
      ...(notifications !== before.notifications && { notifications }),
      ...capsIn({ ...next }),
      ...(useCredits !== undefined && { useCredits }),
      ...(spendAlerts !== before.spendAlerts && { spendAlerts }),
    },
    remove: spendCaps.filter((cap) => next[cap] === undefined),
    if: [
      '#accessEpoch = :accessEpoch',
      ...unchanged.map(({ field, value }) =>
        value === undefined ? `attribute_not_exists(#${field})` : `#${field} = :${field}Before`,
      ),
    ].join(' AND '),
    values: {
      accessEpoch,
      ...Object.fromEntries(
        unchanged.flatMap(({ field, value }) =>
          value === undefined ? [] : [[`${field}Before`, value]],
        ),
      ),
    },
  }
}
