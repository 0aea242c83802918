import { withoutConflicts } from '../platform/table/conflict.ts'
import type { UserIdentity } from '../http/actor.ts'
import { notFound, PlatformError } from '../platform/errors.ts'
import { ConditionFailed, type Table, type Update } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { profileKey, toUser, type User } from './user.ts'

/**
 * Changes a user's row for the user themself, as long as what let them in holds.
 * @returns the user as they are afterwards
 * @throws PlatformError 404 for one who is gone, 401 for one whose sessions were ended meanwhile
 */
export async function updateUser(
  table: Table,
  { id, accessEpoch }: Pick<UserIdentity, 'id' | 'accessEpoch'>,
  { set, remove }: Required<Pick<Update, 'set' | 'remove'>>,
): Promise<User> {
  const change = {
    // The table takes no update that changes nothing.
    set: { ...set, accessEpoch },
    remove,
    if: '#accessEpoch = :accessEpoch',
    values: { accessEpoch },
  }
  const store = userStore(table, id)
  try {
    return toUser(await withoutConflicts(() => store.update(profileKey, change)))
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw error.item === undefined
      ? notFound('User')
      : new PlatformError('unauthorized', 'Unauthorized')
  }
}
