import { findUser, type User } from '#shared/accounts/users/user.ts'
import { agentAlive } from '#shared/agents/record/agent.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { limitReached, notFound, type PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { mergeParts, type Parts, type Refusals, tryCommit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { isoOf } from '#shared/platform/times.ts'
import { quotaOf } from '../storage/quota.ts'
import { storageRows } from '../storage/rows.ts'
import { tellFull, type TellsFull } from '../storage/tell-full.ts'
import { changeUse, hasRoom, storageFull } from '../storage/use.ts'
import { expectPacks } from './collection/expect-packs.ts'
import { syncAfter, syncBefore, type SyncContext, type Synced } from './container/sync.ts'
import { newPack, packReader } from './packs.ts'
import { fileRows, versionOf } from './rows.ts'
import { openTree, type Tree } from './tree/tree.ts'

/** The maximum number of files of an agent. A collection of unused packs visits them all. */
export const fileLimit = 200_000

export type FilesContext = Pick<Context, 'table'> & Can<'packs'> & TellsFull & SyncContext

export interface Round {
  tree: Tree
  /**
   * Refuses a change that exceeds the storage, before its content is stored.
   * @param bytes the change of the size of all files
   * @throws PlatformError 402 STORAGE_LIMIT_REACHED
   */
  requireRoom(bytes: number): Promise<void>
}

interface Options<P extends Parts> {
  userId: string
  agentId: string
  /** The agent, whose container syncs the files of `names` before and after the change. */
  sync: Omit<Synced, 'row'> & { timeoutMs?: number }
  /** The reservation of the change, which it uses up. */
  reserved?: number
  /** Additional writes in the same transaction. */
  also?: P
  /** Returns the error for a refused part of `also`. */
  refused?: (refusals: Refusals<P>) => Error
}

/**
 * Changes the files of an agent. `change` is called again if another writer was first, such as the container. All
 * objects are stored before the row that refers to them, so a killed process loses nothing and leaves only unused
 * packs, which a collection removes.
 * @param change changes the tree; it may throw to refuse the change
 * @returns the result of `change`
 * @throws PlatformError 402 STORAGE_LIMIT_REACHED with used and quota, 404 for a deleted agent, 409 FILE_LIMIT_REACHED,
 * 503 with Retry-After as syncBefore
 */
export async function changeFiles<T, P extends Parts = Record<never, never>>(
  ctx: FilesContext,
  options: Options<P>,
  change: (round: Round) => Promise<T>,
): Promise<T> {
  const { table, packs } = ctx
  const { userId, agentId, reserved = 0, sync } = options
  let isHeld: boolean | undefined
  const user = await findUser(table, userId)
  const quota = user && quotaOf(user, ctx.adminEmails)
  return retryOptimistically(async () => {
    const [item, pool] = await table.getMany([
      fileRows.key({ userId, agentId }),
      storageRows.key({ userId }),
    ])
    const row = item && fileRows.parse(item)
    const use = pool && storageRows.parse(pool)
    if (row?.deletedAt !== undefined) throw notFound('Agent')
    if (isHeld === undefined) {
      isHeld = await syncBefore(ctx, { ...sync, row }, sync)
      if (isHeld) return overtaken
    }
    const bounded = { quota, use }
    const { collectAt, announcedAt } = row ?? {}
    await expectPacks(ctx, { userId, agentId, collectAt, announcedAt })
    const before = { bytes: row?.bytes ?? 0, files: row?.files ?? 0 }
    const { readList } = packReader(packs, agentId)
    const tree = openTree(readList, row?.root, before)
    const requireRoom = async (bytes: number) => {
      if (!hasRoom({ bytes, reserved: -reserved }, bounded)) throw await full(ctx, user)
    }
    const result = await change({ tree, requireRoom })
    // A container can claim too large totals of a folder, whose removal must not free bytes that were never counted.
    const bytes = Math.max(0, tree.totals().bytes)
    const files = Math.max(0, tree.totals().files)
    requireFileLimit(before.files, files)
    const pack = newPack()
    const root = await tree.write(pack.add)
    await pack.store(packs, agentId)
    const delta = { bytes: bytes - before.bytes, reserved: -reserved }
    const unchanged = ifUnchanged({
      ...versionOf(row),
      deletedAt: undefined,
    })
    const version = (row?.version ?? 0) + 1
    const refusals = await tryCommit(
      table,
      mergeParts(
        {
          files: {
            update: fileRows.key({ userId, agentId }),
            set: { userId, agentId, version, root, bytes, files, committedAt: isoOf(Date.now()) },
            ...unchanged,
          },
          use: changeUse(userId, delta, bounded),
          agent: { check: agentRows.key({ userId, agentId }), ...agentAlive },
        },
        options.also,
      ),
    )
    if (refusals === undefined) {
      if (isHeld) await syncAfter(ctx, { ...sync, row })
      const used = (use?.taken ?? 0) - (use?.reserved ?? 0) + delta.bytes
      if (user !== undefined && delta.bytes > 0 && used >= quotaOf(user, ctx.adminEmails))
        await tellFull(ctx, user)
      return result
    }
    if (refusals.agent !== undefined) throw notFound('Agent')
    const others = Object.keys(refusals).some((name) => name !== 'files' && name !== 'use')
    if (others && options.refused !== undefined) throw options.refused(refusals as Refusals<P>)
    if (refusals.files !== undefined) return overtaken
    throw await full(ctx, user)
  })
}

/** @throws PlatformError 409 FILE_LIMIT_REACHED for a change that adds files beyond the limit */
export function requireFileLimit(before: number, after: number): void {
  if (after > fileLimit && after > before)
    throw limitReached('FILE_LIMIT_REACHED', `The agent has ${fileLimit} files already`, {
      current: before,
      limit: fileLimit,
    })
}

/** Informs the owner. @returns the error 402 for a change that exceeds the storage */
export async function full(ctx: TellsFull, user: User | undefined): Promise<PlatformError> {
  if (user === undefined) return storageFull(undefined, 0)
  await tellFull(ctx, user)
  return storageFull(
    await storageRows.find(ctx.table, { userId: user.id }),
    quotaOf(user, ctx.adminEmails),
  )
}
