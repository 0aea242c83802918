import type { Table } from '#shared/platform/table/port.ts'
import { bookParts, rowOwnersOf, shareOf } from '../shared-callers.ts'
import { fromMicroUsd, toMicroUsd } from './micro-usd.ts'
import { type Limits, limitsOf } from './refusal.ts'
import { type Balance, quotaKey, type QuotaRow, toQuota, type Unit } from './row.ts'

/** The smallest share of a part, many times one call's usage: a small limit has few parts. */
const minShare: Readonly<Record<Unit, number>> = { tokens: 100_000, microUsd: 1_000_000 }

/** Returns the number of parts in use for a shared caller's month. */
export function partsUnder(limits: Limits): number {
  const entries = Object.entries(limitsOf(limits)) as [Unit, number][]
  const fitting = entries.map(([unit, limit]) => Math.floor(limit / minShare[unit]))
  return Math.max(1, Math.min(bookParts, ...fitting))
}

/** One part of a shared caller's month. */
export interface MonthPart {
  part: number
  /** The number of parts in use. */
  parts: number
  /** Usage and holds outside these parts, for example from before the month had parts. */
  outside: QuotaRow
}

/** Returns a part's share of the remaining limits. */
export function shareOfLimits(limits: Limits, { outside, ...place }: MonthPart): Limits {
  const share = (limit: number, { committed }: Balance) =>
    shareOf(Math.max(0, limit - committed), place)
  const { tokens, cap } = limits
  return {
    ...limits,
    tokens: tokens === null ? null : share(tokens, outside.tokens),
    cap: cap === null ? null : fromMicroUsd(share(toMicroUsd(cap), outside.microUsd)),
  }
}

/** Adds up the rows of one month. */
export function sumOf(rows: readonly QuotaRow[]): QuotaRow {
  const sum = (balances: readonly Balance[]): Balance => ({
    used: balances.reduce((all, { used }) => all + used, 0),
    committed: balances.reduce((all, { committed }) => all + committed, 0),
    held: merged(balances),
  })
  return {
    tokens: sum(rows.map(({ tokens }) => tokens)),
    microUsd: sum(rows.map(({ microUsd }) => microUsd)),
    sweepAt: Math.max(0, ...rows.map(({ sweepAt }) => sweepAt)),
    open: sum(rows.map(({ open }) => ({ ...open, used: 0 }))),
    begun: true,
  }
}

function merged(balances: readonly Balance[]): Balance['held'] {
  const held = new Map<string, number>()
  for (const [slot, amount] of balances.flatMap((balance) => [...balance.held]))
    held.set(slot, (held.get(slot) ?? 0) + amount)
  return held
}

/**
 * Returns a user's month: one row, or the sum of a shared caller's parts.
 * @param month in the format of `monthOf`
 */
export async function readMonth(table: Table, userId: string, month: string): Promise<QuotaRow> {
  const rows = await table.getMany(rowOwnersOf(userId).map((books) => quotaKey(books, month)))
  return sumOf(rows.map(toQuota))
}
