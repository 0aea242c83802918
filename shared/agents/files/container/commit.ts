import { findUser } from '#shared/accounts/users/user.ts'
import { agentAlive } from '#shared/agents/record/agent.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { isoOf } from '#shared/platform/times.ts'
import { quotaOf } from '../../storage/quota.ts'
import { storageRows } from '../../storage/rows.ts'
import { tellFull } from '../../storage/tell-full.ts'
import { changeUse } from '../../storage/use.ts'
import { type FilesContext, requireFileLimit } from '../change.ts'
import { expectPacks } from '../collection/expect-packs.ts'
import { DamagedFiles, packReader } from '../packs.ts'
import { fileRows, type FilesRow, versionOf } from '../rows.ts'
import { type Part, totalsIn } from '../tree/entry.ts'
import type { Totals } from '../tree/tree.ts'
import { type ContainerContext, filesHeld, filesOf } from './held.ts'
import type { FilesCommit } from './schema.ts'

/**
 * Commits the files of a container as a new version. A repeat of the last commit succeeds. Files beyond the storage are
 * committed, because writes to a disk cannot be refused; the owner is informed.
 * @throws PlatformError 400 for a root that cannot be read or has other totals, 404 for a deleted agent, 409
 * FILES_CHANGED with the current version, FILES_HELD, FILE_LIMIT_REACHED
 */
export async function commitFiles(
  ctx: ContainerContext & FilesContext,
  { generation, base, root, bytes, files, release }: FilesCommit,
): Promise<{ version: number }> {
  const ids = filesOf(ctx, generation)
  const { table, adminEmails } = ctx
  const user = await findUser(table, ids.userId)
  const quota = user && quotaOf(user, adminEmails)
  let isVerified = false
  return retryOptimistically(async () => {
    const [item, pool] = await table.getMany([fileRows.key(ids), storageRows.key(ids)])
    const row = item && fileRows.parse(item)
    if (row === undefined) throw filesHeld()
    if (row.deletedAt !== undefined) throw notFound('Agent')
    const isDone = isRepeat(row, { base, root })
    // The response to a last commit may have been lost.
    if (isDone && release && row.holder === undefined) return { version: row.version }
    if (row.holder !== generation) throw filesHeld()
    if (!isDone && row.version !== base) throw filesChanged(row.version)
    if (isDone && !release) return { version: row.version }
    if (!isDone && !isVerified) {
      requireFileLimit(row.files, files)
      await requireRoot(ctx, ids.agentId, { root, bytes, files })
      // The collection verifies the sizes, even if the root is in a pack of an earlier commit.
      await expectPacks({ table }, row)
      isVerified = true
    }
    const version = isDone ? row.version : base + 1
    const use = pool && storageRows.parse(pool)
    const delta = { bytes: isDone ? 0 : bytes - row.bytes, reserved: 0 }
    const removed = [...(release ? ['holder'] : []), ...(root === null ? ['root'] : [])]
    const refusals = await tryCommit(table, {
      files: {
        update: fileRows.key(ids),
        set: isDone
          ? {}
          : { version, bytes, files, committedAt: isoOf(Date.now()), ...(root && { root }) },
        remove: removed,
        ...ifUnchanged({
          ...versionOf(row),
          holder: generation,
          deletedAt: undefined,
        }),
      },
      use: changeUse(ids.userId, delta, { use, quota: delta.bytes > 0 ? undefined : quota }),
      agent: { check: agentRows.key(ids), ...agentAlive },
    })
    if (refusals?.agent !== undefined) throw notFound('Agent')
    if (refusals !== undefined) return overtaken
    const used = (use?.taken ?? 0) - (use?.reserved ?? 0) + delta.bytes
    if (user !== undefined && quota !== undefined && delta.bytes > 0 && used >= quota)
      await tellFull(ctx, user)
    return { version }
  })
}

/** Returns whether a commit is the last one, or has the files that it started from. */
function isRepeat(row: FilesRow, { base, root }: Pick<FilesCommit, 'base' | 'root'>): boolean {
  const isSame = JSON.stringify(row.root ?? null) === JSON.stringify(root)
  return isSame && (row.version === base || row.version === base + 1)
}

/**
 * Reads the list of the top folder. A collection verifies the lists below it.
 * @throws PlatformError 400
 */
async function requireRoot(
  { packs }: FilesContext,
  agentId: string,
  { root, ...claimed }: Totals & { root: Part | null },
): Promise<void> {
  const { readList } = packReader(packs, agentId)
  const entries = root === null ? [] : await readList(root).catch(undefinedIfDamaged)
  const found = entries && totalsIn(entries)
  if (found?.bytes === claimed.bytes && found.files === claimed.files) return
  const message = found === undefined ? 'root is not a list of entries' : 'root has other totals'
  throw new PlatformError('bad-request', message)
}

function undefinedIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedFiles)) throw error
}

function filesChanged(version: number): PlatformError {
  return new PlatformError('conflict', 'The files have another version; read them again', {
    code: 'FILES_CHANGED',
    details: { version },
  })
}
