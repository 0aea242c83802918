import type { Table } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { type Restore, restoreIndex, restoreRows } from '../rows.ts'

/** Longer than goes by between two renewals. */
const holdMs = 120_000

const keyOf = ({ userId, agentId }: Pick<Restore, 'userId' | 'agentId'>) =>
  restoreRows.key({ userId, agentId })

/** A restore was overtaken: the time of its process was over, so that another has taken it up and goes on. */
export class Overtaken extends Error {
  constructor({ id }: Restore) {
    super(`${id} was overtaken`)
    this.name = 'Overtaken'
  }
}

/** Takes a restore up. @returns undefined where it is over, or where another process is at it */
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

/** Holds it for another while, in milliseconds. @throws Overtaken */
export async function renew(table: Table, restore: Restore, forMs = holdMs): Promise<void> {
  const heldUntil = Date.now() + forMs
  const set = { heldUntil, ...restoreIndex(restore.agentId, heldUntil) }
  if (!(await written(table.update(keyOf(restore), { set, ...still(restore) }))))
    throw new Overtaken(restore)
}

/** Lets it go until the tick asks for it again. @throws Overtaken */
export async function letGo(table: Table, restore: Restore, dueAt: number): Promise<void> {
  const update = {
    set: restoreIndex(restore.agentId, dueAt),
    remove: ['heldBy', 'heldUntil'],
    ...still(restore),
  }
  if (!(await written(table.update(keyOf(restore), update)))) throw new Overtaken(restore)
}

/** The end of a restore, as a part of a transaction. */
export function ending(restore: Restore) {
  return { delete: keyOf(restore), ...still(restore) }
}

/** The condition that this process holds the restore. */
export function still({ heldBy }: Restore) {
  return { if: '#heldBy = :by', values: { by: heldBy } }
}
