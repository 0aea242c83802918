import type { Log } from '../platform/log.ts'
import { type Table, TransactionFailed, type Write } from '../platform/table/port.ts'
import { userPartition } from '../platform/table/user-store.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import type { CompletionEvent } from './event.ts'
import { logLine } from './log-line.ts'
import { toQuota } from './quota/row.ts'
import { type Reservation, settlement } from './quota/settlement.ts'
import { rollupWrites } from './rollups.ts'

/**
 * Records a call that was made: its event, its rollups and the settlement of its quota, all of them or none, and once
 * however often it is tried. Never throws: an answer does not fail because its record did. What it held then comes
 * back when it expires.
 */
export async function recordUsage(
  { table, log }: { table: Table; log: Log },
  event: CompletionEvent,
  reservation: Reservation,
  now = Date.now(),
): Promise<void> {
  try {
    await write(table, event, reservation, now)
    log.info(logLine(event))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    log.error(`[UsageLogger] Failed to log usage: ${message}`, { error })
  }
}

const eventIndex = 0
const quotaIndex = 1

async function write(
  table: Table,
  event: CompletionEvent,
  reservation: Reservation,
  now: number,
): Promise<void> {
  const put: Write = {
    put: { ...event, pk: userPartition(event.userId), sk: usageSortKey(event.id) },
    if: 'attribute_not_exists(pk)',
  }
  const rollups = rollupWrites(event)
  const used = event.inputTokens + event.outputTokens
  let { row } = reservation
  for (;;) {
    const { key, update } = settlement(reservation, used, row, now)
    try {
      await withoutConflicts(() => table.transact([put, { update: key, ...update }, ...rollups]))
      return
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error
      // An earlier try did it, though its answer was lost.
      if (error.refused(eventIndex)) return
      if (!error.refused(quotaIndex)) throw error
      row = toQuota(error.reasons[quotaIndex]?.item)
    }
  }
}

/** The sort key of an event within its user's partition. */
export function usageSortKey(eventId: string): string {
  return `usage#${eventId}`
}
