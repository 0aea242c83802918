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

interface Measured extends Totals {
  /** The version that was measured, and the size of its files that the container claimed. */
  version: number
  claimed: number
  /** The size of all packs with a part of that version. */
  storedBytes: number
}

/**
 * Corrects the totals that a container claimed, and the use of storage. If the used packs have far more bytes than the
 * files, the difference counts as use too, so that content outside of files is not free. The same is done with claims if
 * the container has committed again in the meantime, because it could do so all the time.
 */
export async function verifyTotals(
  { table }: Pick<Context, 'table'>,
  { userId, agentId }: Pick<FilesRow, 'userId' | 'agentId'>,
  { version, claimed, bytes, files, storedBytes }: Measured,
): Promise<void> {
  const before = await fileRows.find(table, { userId, agentId })
  if (before === undefined || before.version === 0) return
  const isCurrent = before.version === version
  const hidden = Math.max(0, Math.ceil((storedBytes - freeBytes) / mostTimes) - bytes)
  const surplus = hidden + (isCurrent ? 0 : Math.max(0, bytes - claimed))
  const next = isCurrent ? { bytes, files } : { bytes: before.bytes, files: before.files }
  const isSame = next.bytes === before.bytes && next.files === before.files
  if (isSame && surplus === (before.surplus ?? 0)) return
  await count({ table }, before, { ...next, surplus })
}

/**
 * Counts all stored bytes of an agent whose files cannot be read: what its container claimed cannot be verified, and no
 * unused pack can be removed.
 */
export async function countDamaged(
  { table }: Pick<Context, 'table'>,
  { userId, agentId }: Pick<FilesRow, 'userId' | 'agentId'>,
  storedBytes: number,
): Promise<void> {
  const before = await fileRows.find(table, { userId, agentId })
  if (before === undefined || before.version === 0) return
  const { bytes, files } = before
  await count({ table }, before, { bytes, files, surplus: Math.max(0, storedBytes - bytes) })
}

/** Writes corrected totals, unless another writer was first: a collection follows it. */
async function count(
  { table }: Pick<Context, 'table'>,
  before: FilesRow,
  { surplus, ...totals }: Totals & { surplus: number },
): Promise<void> {
  const { userId, agentId, version } = before
  const delta = totals.bytes + surplus - countedBytes(before)
  await tryCommit(table, {
    files: {
      update: fileRows.key({ userId, agentId }),
      set: { ...totals, ...(surplus > 0 && { surplus }) },
      ...(surplus === 0 && { remove: ['surplus'] }),
      ...ifUnchanged({
        version,
        bytes: before.bytes,
        surplus: before.surplus,
        deletedAt: undefined,
      }),
    },
    use: changeUse(userId, { bytes: delta, reserved: 0 }, { quota: undefined, use: undefined }),
  })
}
