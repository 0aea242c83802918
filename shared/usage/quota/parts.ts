import type { Table } from '../../platform/table/port.ts'
import { bookParts, booksOf, shareOf } from '../shared-callers.ts'
import { fromMicroUsd, toMicroUsd } from './micro-usd.ts'
import { type Limits, limitsOf } from './refusal.ts'
import { type Balance, quotaKey, type QuotaRow, toQuota, type Unit } from './row.ts'

/** A part has so much of a limit at least, many times what one call takes: a small limit is not worth many parts. */
const leastShare: Readonly<Record<Unit, number>> = { tokens: 100_000, microUsd: 1_000_000 }

/** How many parts of a shared caller's month are in use under these limits. */
export function partsUnder(limits: Limits): number {
  const entries = Object.entries(limitsOf(limits)) as [Unit, number][]
  const fitting = entries.map(([unit, limit]) => Math.floor(limit / leastShare[unit]))
  return Math.max(1, Math.min(bookParts, ...fitting))
}

/** One part of a shared caller's month. */
export interface Place {
  part: number
  /** How many are in use. */
  parts: number
  /** What was used or held outside of them, as before the month had parts. */
  outside: QuotaRow
}

/** What one part may hold: its share of what is left of the limits. */
export function shareOfLimits(limits: Limits, { outside, ...place }: Place): Limits {
  const share = (limit: number, { committed }: Balance) =>
    shareOf(Math.max(0, limit - committed), place)
  const { tokens, cap } = limits
  return {
    ...limits,
    tokens: tokens === null ? null : share(tokens, outside.tokens),
    cap: cap === null ? null : fromMicroUsd(share(toMicroUsd(cap), outside.microUsd)),
  }
}

/** What rows of one month come to together. */
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
  }
}

function merged(balances: readonly Balance[]): Balance['held'] {
  const held = new Map<string, number>()
  for (const [slot, amount] of balances.flatMap((balance) => [...balance.held]))
    held.set(slot, (held.get(slot) ?? 0) + amount)
  return held
}

/** A user's month: one row, or those of a shared caller's parts together. @param month as `monthOf` writes it */
export async function readMonth(table: Table, userId: string, month: string): Promise<QuotaRow> {
  const rows = await table.getMany(booksOf(userId).map((books) => quotaKey(books, month)))
  return sumOf(rows.map(toQuota))
}
