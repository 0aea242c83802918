import { decodeTime } from 'ulid'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { DamagedFiles, packsPrefix } from '../packs.ts'
import { composedFolder } from '../read.ts'
import { fileRows, type FilesRow } from '../rows.ts'
import { mayStillWrite, youngMs } from './expect-packs.ts'
import { collectionItems } from './items.ts'
import { usedPacks } from './mark.ts'
import type { CollectionMessage } from './topic.ts'
import { countDamaged, verifyTotals } from './verify-totals.ts'

export type Collects = Pick<Context, 'table' | 'log'> & Can<'packs'> & Sends<'file-collections'>

/** The time between two collections. A pack that was unused at the first is removed by the second. */
const pauseMs = 3_600_000

/** The maximum number of unused packs that wait for the next collection. Others are found again. */
const mostUnused = 1000

/**
 * Removes packs of an agent that no root refers to. A reader may still use a pack that just became unused, so a pack is
 * removed only if the collection before, an hour ago, found it unused too. All packs of a deleted agent that no restore
 * point uses are removed immediately.
 */
export async function collectPacks(
  ctx: Collects,
  message: CollectionMessage,
  now = Date.now(),
): Promise<void> {
  const { table, log } = ctx
  const found = await fileRows.find(table, message)
  if (found === undefined) return
  const row = await collectionItems.claim(ctx, found, {
    message,
    now,
    only: { if: '#collectAt <= :due', values: { due: now } },
  })
  if (row === undefined) return
  try {
    await collect(ctx, row, now)
  } catch (error) {
    const { agentId } = row
    if (error instanceof LeaseLost) log.warn('the lease of a collection was lost', { agentId })
    else if (error instanceof DamagedFiles) {
      // Without all lists, no pack is known to be unused.
      log.warn('files cannot be read', { agentId, error })
      let storedBytes = 0
      for await (const { bytes } of ctx.packs.list(packsPrefix(agentId))) storedBytes += bytes
      await countDamaged(ctx, row, storedBytes)
      const set = { collectAt: now + pauseMs }
      await collectionItems.later(ctx, row, pauseMs / 1000, { set, now })
    } else throw error
  }
}

async function collect(ctx: Collects, row: FilesRow, now: number): Promise<void> {
  const { packs, table } = ctx
  const { userId, agentId, deletedAt, unused } = row
  const isDeleted = deletedAt !== undefined
  const store = userStore(table, userId)
  const { used, isPinned, current } = await usedPacks({ store, packs }, agentId)
  let storedBytes = 0
  const wasUnused = new Set(
    unused !== undefined && unused.since <= now - pauseMs ? unused.packs : [],
  )
  const left: string[] = []
  const prefix = packsPrefix(agentId)
  for await (const { key, modifiedAt, bytes } of packs.list(prefix)) {
    const id = key.slice(prefix.length)
    if (current.packs.has(id)) storedBytes += bytes
    if (used.has(id)) continue
    const isOld = id.startsWith(composedFolder)
      ? modifiedAt <= now - pauseMs
      : wasUnused.has(id) && packTime(id) <= now - youngMs
    if (isDeleted || isOld) await packs.remove(key)
    else left.push(id)
  }
  if (!isDeleted) await verifyTotals(ctx, row, { ...current, storedBytes })
  // An upload by a link that is still valid may store one more object of a deleted agent.
  const isQuiet = isDeleted ? deletedAt <= now - pauseMs : !mayStillWrite(row, now)
  const isOver = left.length === 0 && isQuiet
  if (!isOver) {
    const at = now + pauseMs
    const early = unused !== undefined && unused.since > now - pauseMs
    const next = early ? unused : { since: now, packs: left.slice(0, mostUnused) }
    return collectionItems.later(ctx, row, pauseMs / 1000, {
      set: { collectAt: at, unused: next },
      now,
    })
  }
  await finish(ctx, row, isPinned)
}

/**
 * Ends the collection, unless a writer has announced packs in the meantime: then it stays due. The row of a deleted agent
 * stays while a restore point needs its packs.
 */
async function finish({ table }: Collects, row: FilesRow, isPinned: boolean): Promise<void> {
  const { userId, agentId, collectAt, announcedAt, deletedAt } = row
  const end =
    deletedAt !== undefined && !isPinned
      ? collectionItems.deleted(row)
      : collectionItems.finished(row, {
          remove: ['announcedAt', 'collectAt', 'unused', 'heldBy', 'heldUntil'],
        })
  const since = ifUnchanged({ collectAt, announcedAt })
  const isUnchanged = {
    if: `${end.if} AND ${since.if}`,
    values: { ...end.values, ...since.values },
  }
  await commit(
    table,
    { files: { ...end, ...isUnchanged } },
    { files: () => new LeaseLost(fileRows.key({ userId, agentId }).sk) },
  )
}

/** Returns the time of a pack's id in epoch milliseconds. */
function packTime(id: string): number {
  return decodeTime(id.slice(0, 26))
}
