import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { type Restore, restoreIndex, restoreRows } from '../rows.ts'

/** Longer than the time between two renewals. */
const leaseMs = 120_000

const keyOf = ({ userId, agentId }: Pick<Restore, 'userId' | 'agentId'>) =>
  restoreRows.key({ userId, agentId })

/** Thrown if another process has taken over a restore because this one's hold expired. */
export class RestoreLeaseLost extends Error {
  constructor({ id }: Restore) {
    super(`${id} was overtaken`)
    this.name = 'RestoreLeaseLost'
  }
}

/**
 * Claims a restore.
 * @returns undefined if it has ended, or another process holds it
 */
export async function claimRestore(
  table: Table,
  { userId, agentId, restoreId, by }: Record<'userId' | 'agentId' | 'restoreId' | 'by', string>,
  now = Date.now(),
): Promise<Restore | undefined> {
  const item = await table.get(keyOf({ userId, agentId }))
  if (item === undefined) return undefined
  const restore = restoreRows.parse(item)
  const { heldUntil = 0 } = restore
  if (restore.id !== restoreId || heldUntil >= now) return undefined
  const lease = { heldBy: by, heldUntil: now + leaseMs }
  const isClaimed = await tryWrite(
    table.update(keyOf(restore), {
      set: { ...lease, ...restoreIndex(agentId, lease.heldUntil) },
      if: '#id = :id AND (attribute_not_exists(#heldUntil) OR #heldUntil < :now)',
      values: { id: restoreId, now },
    }),
  )
  return isClaimed ? { ...restore, ...lease } : undefined
}

/**
 * Extends the hold by a time in milliseconds.
 * @throws RestoreLeaseLost
 */
export async function renewRestoreLease(
  table: Table,
  restore: Restore,
  forMs = leaseMs,
): Promise<void> {
  const heldUntil = Date.now() + forMs
  const set = { heldUntil, ...restoreIndex(restore.agentId, heldUntil) }
  if (!(await tryWrite(table.update(keyOf(restore), { set, ...leaseCondition(restore) }))))
    throw new RestoreLeaseLost(restore)
}

/**
 * Releases the hold until the tick requests the restore again.
 * @throws RestoreLeaseLost
 */
export async function releaseLease(table: Table, restore: Restore, dueAt: number): Promise<void> {
  const update = {
    set: restoreIndex(restore.agentId, dueAt),
    remove: ['heldBy', 'heldUntil'],
    ...leaseCondition(restore),
  }
  if (!(await tryWrite(table.update(keyOf(restore), update)))) throw new RestoreLeaseLost(restore)
}

/** Returns the write that ends a restore, for a transaction. */
export function endingWrite(restore: Restore) {
  return { delete: keyOf(restore), ...leaseCondition(restore) }
}

/** Returns the condition that this process holds the restore. */
export function leaseCondition({ heldBy }: Restore) {
  return { if: '#heldBy = :by', values: { by: heldBy } }
}
