import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import { changeUse } from '../../storage/use.ts'
import { countedBytes, fileRows, type FilesRow } from '../rows.ts'
import type { Totals } from '../tree/tree.ts'

/**
 * Packs also contain lists, and parts that no file uses any more, until no file uses the pack. So this many stored bytes,
 * and this multiple of the files' bytes, count only as the files. More counts as its part.
 */
const freeBytes = 1024 ** 3
const mostTimes = 4

/**
 * Corrects the totals that a container claimed for folders, and the use of storage. If the used packs have far more
 * bytes than the files, the difference counts as use too, so that content outside of files is not free.
 */
export async function verifyTotals(
  { table }: Pick<Context, 'table'>,
  row: Pick<FilesRow, 'userId' | 'agentId'>,
  { version, bytes, files, storedBytes }: Totals & { version: number; storedBytes: number },
): Promise<void> {
  const { userId, agentId } = row
  const before = await fileRows.find(table, { userId, agentId })
  // Another writer was first, and its collection follows.
  if (before === undefined || before.version !== version || version === 0) return
  const surplus = Math.max(0, Math.ceil((storedBytes - freeBytes) / mostTimes) - bytes)
  if (before.bytes === bytes && before.files === files && (before.surplus ?? 0) === surplus) return
  const delta = bytes + surplus - countedBytes(before)
  await tryCommit(table, {
    files: {
      update: fileRows.key({ userId, agentId }),
      set: { bytes, files, ...(surplus > 0 && { surplus }) },
      ...(surplus === 0 && { remove: ['surplus'] }),
      ...ifUnchanged({
        version,
        surplus: before.surplus,
        bytes: before.bytes,
        deletedAt: undefined,
      }),
    },
    use: changeUse(userId, { bytes: delta, reserved: 0 }, { quota: undefined, use: undefined }),
  })
}
