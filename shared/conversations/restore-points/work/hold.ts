import type { Table } from '#shared/platform/table/port.ts'
import { written } from '#shared/platform/table/written.ts'
import { type Restore, restoreIndex, restoreRows } from '../rows.ts'

/** Longer than the time between two renewals. */
const holdMs = 120_000

const keyOf = ({ userId, agentId }: Pick<Restore, 'userId' | 'agentId'>) =>
  restoreRows.key({ userId, agentId })

/** Thrown if another process has taken over a restore because this one's hold expired. */
export class Overtaken extends Error {
  constructor({ id }: Restore) {
    super(`${id} was overtaken`)
    this.name = 'Overtaken'
  }
}

/**
 * Claims a restore.
 * @returns undefined if it has ended, or another process holds it
 */
export async function takeRestore(
  table: Table,
  { userId, agentId, restoreId, by }: Record<'userId' | 'agentId' | 'restoreId' | 'by', string>,
  now = Date.now(),
): Promise<Restore | undefined> {
  const item = await table.get(keyOf({ userId, agentId }))
  if (item === undefined) return undefined
  const restore = restoreRows.parse(item)
  const { heldUntil = 0 } = restore
  if (restore.id !== restoreId || heldUntil >= now) return undefined
  const held = { heldBy: by, heldUntil: now + holdMs }
  const taken = await written(
    table.update(keyOf(restore), {
      set: { ...held, ...restoreIndex(agentId, held.heldUntil) },
      if: '#id = :id AND (attribute_not_exists(#heldUntil) OR #heldUntil < :now)',
      values: { id: restoreId, now },
    }),
  )
  return taken ? { ...restore, ...held } : undefined
}

/**
 * Extends the hold by a time in milliseconds.
 * @throws Overtaken
 */
export async function renew(table: Table, restore: Restore, forMs = holdMs): Promise<void> {
  const heldUntil = Date.now() + forMs
  const set = { heldUntil, ...restoreIndex(restore.agentId, heldUntil) }
  if (!(await written(table.update(keyOf(restore), { set, ...still(restore) }))))
    throw new Overtaken(restore)
}

/**
 * Releases the hold until the tick requests the restore again.
 * @throws Overtaken
 */
export async function letGo(table: Table, restore: Restore, dueAt: number): Promise<void> {
  const update = {
    set: restoreIndex(restore.agentId, dueAt),
    remove: ['heldBy', 'heldUntil'],
    ...still(restore),
  }
  if (!(await written(table.update(keyOf(restore), update)))) throw new Overtaken(restore)
}

/** Returns the write that ends a restore, for a transaction. */
export function ending(restore: Restore) {
  return { delete: keyOf(restore), ...still(restore) }
}

/** Returns the condition that this process holds the restore. */
export function still({ heldBy }: Restore) {
  return { if: '#heldBy = :by', values: { by: heldBy } }
}
