import { fromFloat } from '#shared/money/amounts/amount.ts'
import type { Days } from '#shared/platform/days.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { userRollupRows } from '../rows.ts'
import { type DaysQuery, type UsageScope, visitDays } from './read.ts'
import { noUsage, plus, type Totals } from './totals.ts'

/** One day's completions of one agent with one model. */
export interface Rollup extends Totals {
  date: string
  agentId: string | null
  model: string
  provider: string
}

export interface UsageQuery {
  scope: UsageScope
  days: Days
}

/** Visits the rollups of a range of days: days × agents × models rows, no matter how many calls were made. */
export function visitRollups(
  table: Table,
  query: DaysQuery,
  visit: (rollup: Rollup) => void,
): Promise<void> {
  return visitDays(table, { ...query, rows: userRollupRows }, (row) => visit(toRollup(row)))
}

/** Returns a user's rollups of a range of days. A month of rollups is small. */
export async function listRollups(
  { table }: { table: Table },
  { userId, days }: { userId: string; days: Days },
): Promise<Rollup[]> {
  const rollups: Rollup[] = []
  await visitRollups(table, { scope: { userId }, days }, (rollup) => void rollups.push(rollup))
  return rollups
}

function toRollup(item: Item): Rollup {
  const { costUsd, ...row } = userRollupRows.parse(item)
  return { ...row, cost: fromFloat('meteredUSD', costUsd, 'nearest') }
}

/** The totals of rollups that share some dimensions. */
export interface Group<Dimension extends keyof Rollup> {
  /** The shared dimensions. */
  of: Pick<Rollup, Dimension>
  totals: Totals
}

/** Groups rollups by some of their dimensions, one at a time. */
export function grouping<Dimension extends 'date' | 'agentId' | 'model' | 'provider'>(
  dimensions: readonly Dimension[],
) {
  const groups = new Map<string, Group<Dimension>>()
  return {
    add(rollup: Pick<Rollup, Dimension> & Totals): void {
      const key = JSON.stringify(dimensions.map((dimension) => rollup[dimension]))
      const found = groups.get(key) ?? { of: rollup, totals: noUsage }
      groups.set(key, { of: found.of, totals: plus(found.totals, rollup) })
    },
    groups: () => [...groups.values()],
  }
}

/** Returns the usage of a range of days, grouped by some dimensions. */
export async function groupUsage<Dimension extends 'date' | 'agentId' | 'model' | 'provider'>(
  table: Table,
  query: UsageQuery,
  dimensions: readonly Dimension[],
): Promise<Group<Dimension>[]> {
  const { add, groups } = grouping(dimensions)
  await visitRollups(table, query, add)
  return groups()
}

/** Groups rollups that are already loaded. */
export function groupBy<Dimension extends 'date' | 'agentId' | 'model' | 'provider'>(
  rollups: readonly Rollup[],
  dimensions: readonly Dimension[],
): Group<Dimension>[] {
  const { add, groups } = grouping(dimensions)
  rollups.forEach(add)
  return groups()
}
