import { acquireSlot } from '#shared/platform/slots/parts.ts'
import type { Update } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { Claim } from './claims.ts'
import { maxOpenCalls } from './open-calls.ts'
import { limitsOf } from './refusal.ts'
import { attributes, openCalls, type Unit } from './row.ts'
import { sweepSeconds } from './settlement.ts'

/** Returns the first sweep of a new row, for a write that does not return the row. */
export function firstSweep(now: number): Update {
  return {
    expression: '#sweepAt = if_not_exists(#sweepAt, :sweepAt)',
    values: { sweepAt: epochSeconds(now) + sweepSeconds },
  }
}

export interface Fit {
  /** True if a whole claim must fit its limits. Otherwise a claim is accepted if any amount is left. */
  whole: boolean
}

/**
 * Returns the write that holds a claim. It is refused if the claim does not fit its limits, or if its spend row does
 * not count yet (begin.ts).
 * @param more further changes of the row
 */
export function claimWrite(
  { hold: { amounts, expiry, expiresAt, slotUntil }, limits, spends }: Claim,
  { whole }: Fit,
  more: Update = {},
): Update {
  const limited = Object.entries(limitsOf(limits)) as [Unit, number][]
  return {
    ...(expiresAt !== undefined && { set: { expiresAt } }),
    ...more,
    add: Object.assign(
      slotUntil === undefined ? {} : acquireSlot(openCalls, { amount: 1, expiry: slotUntil }),
      ...limited.map(([unit]) => acquireSlot(attributes[unit], { amount: amounts[unit], expiry })),
    ) as Record<string, number>,
    if: [
      ...limited.map(([unit, limit]) => {
        const { committed } = attributes[unit]
        const less = `#${committed} ${whole ? '<=' : '<'} :${unit}`
        const fitsEmpty = whole ? amounts[unit] <= limit && limit > 0 : limit > 0
        return fitsEmpty ? `(attribute_not_exists(#${committed}) OR ${less})` : less
      }),
      ...(slotUntil === undefined
        ? []
        : ['(attribute_not_exists(#openCalls) OR #openCalls < :mostOpen)']),
      ...(spends === undefined ? [] : ['attribute_exists(#begunAt)']),
    ].join(' AND '),
    values: {
      ...more.values,
      ...(slotUntil !== undefined && { mostOpen: maxOpenCalls }),
      ...Object.fromEntries(
        limited.map(([unit, limit]) => [unit, whole ? limit - Math.max(amounts[unit], 1) : limit]),
      ),
    },
  }
}
