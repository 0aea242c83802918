import { ConditionFailed, type Table } from '../../platform/table/port.ts'
import { withoutConflicts } from '../../platform/table/conflict.ts'
import { toQuota } from './row.ts'
import { type Reservation, settlement } from './settlement.ts'

/** Gives back what a call held that used nothing. */
export async function release(
  table: Table,
  reservation: Reservation,
  now = Date.now(),
): Promise<void> {
  if (reservation.tokens === 0) return
  let { row } = reservation
  for (;;) {
    const { key, update } = settlement(reservation, 0, row, now)
    try {
      await withoutConflicts(() => table.update(key, update))
      return
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      row = toQuota(error.item)
    }
  }
}
