import type { UserContext } from '../identity/context.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import { ConditionFailed, type Update } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { profileKey, toUser, type User } from './user.ts'

/**
 * Changes the caller's own row, as long as the session or key that let them in holds.
 * @returns the user as they are afterwards
 * @throws PlatformError 404 for one who is gone, 401 for one whose sessions were ended meanwhile
 */
export async function updateUser(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { set, remove }: Required<Pick<Update, 'set' | 'remove'>>,
): Promise<User> {
  const { id, accessEpoch } = actor.user
  const change = {
    // The table takes no update that changes nothing.
    set: { ...set, accessEpoch },
    remove,
    if: '#accessEpoch = :accessEpoch',
    values: { accessEpoch },
  }
  const store = userStore(table, id)
  try {
    return toUser(await store.update(profileKey, change))
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw error.item === undefined
      ? notFound('User')
      : new PlatformError('unauthorized', 'Unauthorized')
  }
}
