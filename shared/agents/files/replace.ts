import { findUser } from '#shared/accounts/users/user.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Item, Write } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { quotaOf } from '../storage/quota.ts'
import { storageRows } from '../storage/rows.ts'
import { changeUse, storageFull } from '../storage/use.ts'
import { expectPacks } from './collection/expect-packs.ts'
import { ifPinned } from './pin.ts'
import { countedBytes, fileRows, pinRows, versionOf } from './rows.ts'
import type { Part } from './tree/entry.ts'
import type { Totals } from './tree/tree.ts'

type FilesRef = { userId: string; agentId: string }

/** A write for a transaction that reserves storage, and the error if it is refused. */
export interface Reservation {
  /** In bytes. */
  reserved: number
  /** Absent if nothing must be reserved. */
  write: Write | undefined
  refused: (item: Item | undefined) => Error
}

/** Reserves the storage for files that will replace all files of an agent. */
export async function reserveFor(
  { table, adminEmails }: Pick<Context, 'table'> & Can<'adminEmails'>,
  { userId, agentId, bytes }: FilesRef & { bytes: number },
): Promise<Reservation> {
  const [user, row, use] = await Promise.all([
    findUser(table, userId),
    fileRows.find(table, { userId, agentId }),
    storageRows.find(table, { userId }),
  ])
  const reserved = Math.max(0, bytes - (row === undefined ? 0 : countedBytes(row)))
  const quota = user === undefined ? 0 : quotaOf(user, adminEmails)
  return {
    reserved,
    write: reserved === 0 ? undefined : changeUse(userId, { bytes: 0, reserved }, { use, quota }),
    refused: (item) => storageFull(item && storageRows.parse(item), quota),
  }
}

/** Returns the write that ends a reservation without using it. */
export function releaseReserved(userId: string, reserved = 0): Write | undefined {
  if (reserved === 0) return undefined
  return changeUse(userId, { bytes: 0, reserved: -reserved }, unbounded)
}

/** Returns the size of the files that a pin keeps; 0 without a pin. */
export async function pinnedBytes(
  { table }: Pick<Context, 'table'>,
  pin: FilesRef & { pinId: string },
): Promise<number> {
  return (await pinRows.find(table, pin))?.bytes ?? 0
}

type Replacement = FilesRef & {
  /** The new root and its totals; undefined for no files. */
  next: (Totals & { root: Part }) | undefined
  /** The pin that keeps the new root readable until it is committed. */
  pinId?: string | undefined
  /** The reservation that the replacement uses up. */
  reserved?: number | undefined
}

/**
 * Returns the writes that replace all files of an agent, for one transaction. A container of an earlier start can then
 * commit nothing, because its version is outdated and it is no longer the holder; the next one reads all files again.
 * The files of a deleted agent exist again.
 */
export async function replaceWrites(
  { table }: Pick<Context, 'table'>,
  { userId, agentId, next, pinId, reserved = 0 }: Replacement,
  now = Date.now(),
): Promise<{ files: Write; use: Write; pin: Write | undefined }> {
  const row = await fileRows.find(table, { userId, agentId })
  if (row?.root !== undefined) await expectPacks({ table }, row)
  const { version = 0, deletedAt, surplus } = row ?? {}
  const before = row === undefined ? 0 : countedBytes(row)
  const { root, bytes = 0, files = 0 } = next ?? {}
  const unchanged = ifUnchanged({
    ...versionOf(row),
    deletedAt,
    surplus,
  })
  // A collection that began when the agent was deleted would remove the packs of its next container.
  const uncollected = '(attribute_not_exists(#heldUntil) OR #heldUntil < :now)'
  const isDeleted = deletedAt !== undefined
  return {
    files: {
      update: fileRows.key({ userId, agentId }),
      set: {
        userId,
        agentId,
        version: version + 1,
        bytes,
        files,
        origin: newSeed(now),
        committedAt: isoOf(now),
        ...(root !== undefined && { root }),
      },
      remove: ['holder', 'deletedAt', 'surplus', ...(root === undefined ? ['root'] : [])],
      if: isDeleted ? `${unchanged.if} AND ${uncollected}` : unchanged.if,
      values: { ...unchanged.values, ...(isDeleted && { now }) },
    },
    use: changeUse(userId, { bytes: bytes - before, reserved: -reserved }, unbounded),
    pin: pinId === undefined ? undefined : ifPinned({ userId, agentId, pinId }),
  }
}

const unbounded = { quota: undefined, use: undefined }
