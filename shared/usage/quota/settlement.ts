import type { Key, Update } from '../../platform/table/port.ts'
import { type Amounts, attributes, type QuotaRow, type Unit, units } from './row.ts'
import { giveBack, merged, type Part, sweepOf, sweepPart } from '../../platform/slots/parts.ts'

/** What a call holds in one month's row until it is settled. */
export interface Hold {
  key: Key
  /** 0 of what nothing limits. */
  amounts: Amounts
  /** Epoch second of the slot. */
  expiry: number
  /** The row as the reservation found it; undefined where it did not see it. */
  row?: QuotaRow | undefined
  /** Epoch second from which the row itself may go; undefined for one that stays. */
  expiresAt?: number | undefined
}

/**
 * What a call holds of the month in which it began, also when it ends in the next: of its user's and, where an agent
 * called, of the agent's.
 */
export type Reservation = readonly Hold[]

/** How long a row may go unseen before its expired slots are looked for. */
export const sweepSeconds = 3600

/**
 * The one write that gives back what a call held, counts what it used, and sweeps expired slots as `row` shows them.
 * Its condition fails where `row` is no longer true; it is then built again from the row that was found.
 */
export function settlement(
  hold: Hold,
  used: Amounts,
  now: number,
  row = hold.row,
): { key: Key; update: Update } {
  const second = Math.floor(now / 1000)
  const parts = units.map((unit) => settle(hold, unit, used[unit], row, now))
  const holds = units.some((unit) => hold.amounts[unit] > 0)
  const unseen = row === undefined && holds
  const swept = row !== undefined && row.sweepAt > 0 && row.sweepAt <= second
  const { conditions, values, ...rest } = merged(parts)
  // What is in a row that was not read is unknown: now and then this write fails, and brings the row.
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
): Part {
  const names = attributes[unit]
  const part = giveBack(names, { amount: amounts[unit], expiry }, row?.[unit].held, now)
  const committed = used + (part.add[names.committed] ?? 0)
  return { ...part, add: { ...part.add, [names.used]: used, [names.committed]: committed } }
}

/** The one write that gives back what crashed calls held, as `row` shows it; undefined where there is nothing. */
export function sweep(row: QuotaRow, now: number): Update | undefined {
  return sweepOf(units.map((unit) => sweepPart(attributes[unit], row[unit].held, now)))
}
