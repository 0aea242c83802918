import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import { toQuota, units } from './row.ts'
import { type Hold, type Reservation, settlement } from './settlement.ts'

const nothing = { tokens: 0, microUsd: 0 }

/** Releases the hold of a call that used nothing. */
export async function release(
  { table }: { table: Table },
  { reservation }: { reservation: Reservation },
  now = Date.now(),
): Promise<void> {
  const holds = reservation.filter(
    ({ amounts, slotUntil }) => slotUntil !== undefined || units.some((unit) => amounts[unit] > 0),
  )
  await Promise.all(holds.map((hold) => releaseHold(table, hold, now)))
}

async function releaseHold(table: Table, hold: Hold, now: number): Promise<void> {
  let { row } = hold
  await retryOptimistically(async () => {
    const { key, update } = settlement(hold, nothing, now, row)
    try {
      await table.update(key, update)
      return undefined
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      row = toQuota(error.item)
      return overtaken
    }
  })
}
