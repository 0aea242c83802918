import { withoutConflicts } from '../agents/conflict.ts'
import { notFound } from '../platform/errors.ts'
import { ConditionFailed, type Table, type Update } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { profileKey, toUser, type User } from './user.ts'

/** Changes a user's row. @returns the user as they are afterwards @throws PlatformError 404 for one who is gone */
export async function updateUser(
  table: Table,
  userId: string,
  update: Pick<Update, 'set' | 'remove'>,
): Promise<User> {
  const store = userStore(table, userId)
  try {
    const change = { ...update, if: 'attribute_exists(pk)' }
    return toUser(await withoutConflicts(() => store.update(profileKey, change)))
  } catch (error) {
    if (error instanceof ConditionFailed) throw notFound('User')
    throw error
  }
}
