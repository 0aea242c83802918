import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { ConditionFailed, type Update } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { profileKey, toUser, type User } from './user.ts'

/**
 * Changes the caller's own row, on condition that their session or key is still valid.
 * @returns the user after the change
 * @throws PlatformError 404 for a deleted user, 401 if the user's sessions were ended in the meantime
 */
export async function updateUser(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { set, remove }: Required<Pick<Update, 'set' | 'remove'>>,
): Promise<User> {
  const { id, accessEpoch } = actor.user
  const change = {
    // The table rejects updates that change nothing.
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
