import { userRows } from '#shared/accounts/users/rows.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'

/**
 * Deletes the row of an archive and decreases its user's count in one transaction. A repeat has no effect.
 * @param archive.count the attribute of the user's row with the count
 */
export async function removeCounted(
  table: Pick<Table, 'delete' | 'transact'>,
  userId: string,
  { row, count }: { row: Key; count: string },
): Promise<void> {
  const refusals = await tryCommit(table, {
    row: { delete: row, if: 'attribute_exists(pk)' },
    account: {
      update: userRows.key({ userId }),
      add: { [count]: -1 },
      if: 'attribute_exists(pk)',
    },
  })
  // The account was deleted in the meantime, together with its count.
  if (refusals?.account !== undefined) await table.delete(row)
}
