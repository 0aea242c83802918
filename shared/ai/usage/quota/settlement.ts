import {
  releaseSlot,
  merged,
  type SlotPart,
  sweepOf,
  sweepPart,
} from '#shared/platform/slots/parts.ts'
import type { Key, Update } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Amounts, attributes, openCalls, type QuotaRow, type Unit, units } from './row.ts'

/** A call's hold on one month's row, until the call is settled. */
export interface Hold {
  key: Key
  /** 0 for a unit without a limit. */
  amounts: Amounts
  /** The expiry of the slot in epoch seconds. */
  expiry: number
  /** The row that the reservation read; undefined if it did not read the row. */
  row?: QuotaRow | undefined
  /** The expiry of the row in epoch seconds; undefined for a permanent row. */
  expiresAt?: number | undefined
  /** Epoch second when the slot of the open call expires; undefined if the call takes none. */
  slotUntil?: number | undefined
}

/**
 * A call's holds on the user's month and, for an agent's call, on the agent's month. The month is the month of its
 * start, even if it ends in the next.
 */
export type Reservation = readonly Hold[]

/** The longest time before a row's expired slots are swept. */
export const sweepSeconds = 3600

/**
 * Returns the write that releases a call's hold, counts its usage, and sweeps the expired slots in `row`. Its condition
 * fails if `row` is outdated; the write is then built again from the current row.
 */
export function settlement(
  hold: Hold,
  used: Amounts,
  now: number,
  row = hold.row,
): { key: Key; update: Update } {
  const second = epochSeconds(now)
  const slot = { amount: hold.slotUntil === undefined ? 0 : 1, expiry: hold.slotUntil ?? 0 }
  const parts = [
    ...units.map((unit) => settle(hold, unit, used[unit], row, now)),
    releaseSlot(openCalls, slot, row?.open.held, now),
  ]
  const holds = slot.amount > 0 || units.some((unit) => hold.amounts[unit] > 0)
  const unseen = row === undefined && holds
  const swept = row !== undefined && row.sweepAt > 0 && row.sweepAt <= second
  const { conditions, values, ...rest } = merged(parts)
  // The content of an unread row is unknown. This condition fails from time to time; the failed write returns the row.
  if (unseen) conditions.push('#sweepAt > :second')
  return {
    key: hold.key,
    update: {
      ...rest,
      set: {
        ...(swept && { sweepAt: second + sweepSeconds }),
        ...(hold.expiresAt !== undefined && { expiresAt: hold.expiresAt }),
      },
      ...(conditions.length > 0 && {
        if: conditions.join(' AND '),
        values: { ...values, ...(unseen && { second }) },
      }),
    },
  }
}

function settle(
  { amounts, expiry }: Hold,
  unit: Unit,
  used: number,
  row: QuotaRow | undefined,
  now: number,
): SlotPart {
  const names = attributes[unit]
  const part = releaseSlot(names, { amount: amounts[unit], expiry }, row?.[unit].held, now)
  const committed = used + (part.add[names.committed] ?? 0)
  return { ...part, add: { ...part.add, [names.used]: used, [names.committed]: committed } }
}

/** Returns the write that releases the holds of crashed calls in `row`, or undefined if it has none to release. */
export function sweepHolds(row: QuotaRow, now: number): Update | undefined {
  return sweepOf([
    ...units.map((unit) => sweepPart(attributes[unit], row[unit].held, now)),
    sweepPart(openCalls, row.open.held, now),
  ])
}
