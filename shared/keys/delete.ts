import { profileKey } from '../accounts/user.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { notFound } from '../platform/errors.ts'
import { type Table, TransactionFailed } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { getKey } from './get.ts'
import { keyRowKey } from './key.ts'

/** Deletes a key; from then on it opens nothing. @throws PlatformError 404 for a key that is not this user's */
export async function deleteKey(table: Table, userId: string, id: string): Promise<void> {
  const { digest } = await getKey(table, userId, id)
  const { write } = userStore(table, userId)
  const writes = [
    write.delete(keyRowKey(digest), { if: 'attribute_exists(pk)' }),
    write.update(profileKey, { add: { keyCount: -1 }, if: 'attribute_exists(pk)' }),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
  } catch (error) {
    if (error instanceof TransactionFailed && error.refused(0)) throw notFound('API key')
    throw error
  }
}
