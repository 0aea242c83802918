import type { Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { beginPeriods } from './begin.ts'
import type { Claim } from './claims.ts'
import type { QuotaRefusal } from './refusal.ts'
import { sweepHolds } from './settlement.ts'

/** Prepares rows for another attempt. @returns false if nothing has changed for these claims */
export async function makeRoom(
  table: Table,
  refused: readonly (Claim & QuotaRefusal)[],
  now: number,
): Promise<boolean> {
  return (await beginPeriods(table, refused, now)) || freeExpired(table, refused, now)
}

/** Releases the expired holds of crashed calls. @returns true if a row had expired holds */
async function freeExpired(
  table: Table,
  refused: readonly (Claim & QuotaRefusal)[],
  now: number,
): Promise<boolean> {
  const freed = refused.flatMap(({ hold: { key }, row }) => {
    const update = sweepHolds(row, now)
    // If another call changed the row first, the caller's loop reads it again.
    return update === undefined ? [] : [tryWrite(table.update(key, update))]
  })
  await Promise.all(freed)
  return freed.length > 0
}
