import type { Key, Update } from '../../platform/table/port.ts'
import { expiredSlots, type QuotaRow } from './row.ts'

/** What a call holds of its user's month until it is settled. */
export interface Reservation {
  /** The month's row. The month is the one in which the call began, also when it ends in the next. */
  key: Key
  /** Tokens held; 0 for a user without a limit. */
  tokens: number
  slot: string
  /** The row as the reservation found it. */
  row: QuotaRow
}

/** An expression may not grow without end; what is left over is swept by the next settlement. */
const maxSweep = 20

/**
 * The one write that gives back what a call held, counts what it used, and sweeps expired slots as `row` shows them.
 * Its condition fails where `row` is no longer true; it is then built again from the row that was found.
 */
export function settlement(
  { key, tokens, slot }: Reservation,
  used: number,
  row: QuotaRow,
  now: number,
): { key: Key; update: Update } {
  // A hold that is no longer there has expired and was swept: there is nothing to give back.
  const holds = tokens > 0 && (row.held.get(slot) ?? 0) >= tokens
  const expired = expiredSlots(row, now)
    .filter(([name]) => name !== slot)
    .slice(0, maxSweep)
  const swept = expired.reduce((sum, [, left]) => sum + left, 0)
  const conditions = [
    ...(holds ? [`#${slot} >= :held`] : []),
    ...expired.map(([name]) => `#${name} = :${name}`),
  ]
  return {
    key,
    update: {
      add: {
        used,
        committed: used - (holds ? tokens : 0) - swept,
        ...(holds && { [slot]: -tokens }),
      },
      remove: expired.map(([name]) => name),
      ...(conditions.length > 0 && {
        if: conditions.join(' AND '),
        values: { ...(holds && { held: tokens }), ...Object.fromEntries(expired) },
      }),
    },
  }
}

/** The one write that gives back what crashed calls held, as `row` shows it. */
export function sweep(row: QuotaRow, now: number): Update | undefined {
  const expired = expiredSlots(row, now).slice(0, maxSweep)
  if (expired.length === 0) return undefined
  return {
    add: { committed: -expired.reduce((sum, [, left]) => sum + left, 0) },
    remove: expired.map(([name]) => name),
    if: expired.map(([name]) => `#${name} = :${name}`).join(' AND '),
    values: Object.fromEntries(expired),
  }
}
