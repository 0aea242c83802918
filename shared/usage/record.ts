import type { Log } from '../platform/log.ts'
import { type Table, TransactionFailed, type Write } from '../platform/table/port.ts'
import { userPartition } from '../platform/table/user-store.ts'
import { withoutConflicts } from '../platform/table/conflict.ts'
import type { CompletionEvent } from './event.ts'
import { logLine } from './log-line.ts'
import { microUsdOf } from './quota/micro-usd.ts'
import { type Amounts, toQuota } from './quota/row.ts'
import { type Reservation, settlement } from './quota/settlement.ts'
import { rollupWrites } from './rollups.ts'

export interface RecordOptions {
  /** Served by a provider's key of the user's own: it counts to spend caps, but not to the plan's tokens. */
  ownKey?: boolean
  now?: number
}

/**
 * Records a call that was made: its event, its rollups and the settlement of what it held, all of them or none, and
 * once however often it is tried. Never throws: an answer does not fail because its record did. What it held then
 * comes back when it expires.
 */
export async function recordUsage(
  { table, log }: { table: Table; log: Log },
  event: CompletionEvent,
  reservation: Reservation,
  { ownKey = false, now = Date.now() }: RecordOptions = {},
): Promise<void> {
  const used = {
    tokens: ownKey ? 0 : event.inputTokens + event.outputTokens,
    microUsd: microUsdOf(event.costUsd ?? 0),
  }
  try {
    await write(table, event, reservation, { used, now })
    log.info(logLine(event))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    log.error(`[UsageLogger] Failed to log usage: ${message}`, { error })
  }
}

async function write(
  table: Table,
  event: CompletionEvent,
  reservation: Reservation,
  { used, now }: { used: Amounts; now: number },
): Promise<void> {
  const put: Write = {
    put: { ...event, pk: userPartition(event.userId), sk: usageSortKey(event.id) },
    if: 'attribute_not_exists(pk)',
  }
  const rollups = rollupWrites(event)
  const rows = reservation.map(({ row }) => row)
  for (;;) {
    const settled = reservation.map((hold, i): Write => {
      const { key, update } = settlement(hold, used, now, rows[i])
      return { update: key, ...update }
    })
    try {
      await withoutConflicts(() => table.transact([put, ...settled, ...rollups]))
      return
    } catch (error) {
      if (!(error instanceof TransactionFailed)) throw error
      // An earlier try did it, though its answer was lost.
      if (error.refused(0)) return
      const refused = reservation.map((_, i) => i).filter((i) => error.refused(i + 1))
      if (refused.length === 0) throw error
      for (const i of refused) rows[i] = toQuota(error.reasons[i + 1]?.item)
    }
  }
}

/** The sort key of an event within its user's partition. */
export function usageSortKey(eventId: string): string {
  return `usage#${eventId}`
}
