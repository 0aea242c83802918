import { profileKey } from '../accounts/user.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import { type Table, TransactionFailed } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { type ApiKey, keyRowKey, keysOf } from './key.ts'

/**
 * Deletes every key of a user. A key that one of them makes meanwhile goes with them; a caller who also ends the
 * user's sessions ends them first, so that none of those can make another.
 */
export async function deleteAllKeys(table: Table, userId: string): Promise<void> {
  let keys = await keysOf(table, userId)
  while (keys.length > 0) {
    await deleteTogether(table, userId, keys)
    keys = await keysOf(table, userId)
  }
}

async function deleteTogether(table: Table, userId: string, keys: ApiKey[]): Promise<void> {
  const { write } = userStore(table, userId)
  const exists = { if: 'attribute_exists(pk)' }
  const writes = [
    write.update(profileKey, { add: { keyCount: -keys.length }, ...exists }),
    ...keys.map(({ digest }) => write.delete(keyRowKey(digest), exists)),
  ]
  try {
    await withoutConflicts(() => table.transact(writes))
  } catch (error) {
    // One that was deleted meanwhile takes part no more; the next look leaves it out.
    const gone = error instanceof TransactionFailed && keys.some((_, i) => error.refused(i + 1))
    if (!gone) throw error
  }
}
