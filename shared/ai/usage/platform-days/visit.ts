import { fromFloat } from '#shared/money/amounts/amount.ts'
import { type Days, dayAfter, eachDay } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { DaysQuery } from '../queries/read.ts'
import { type Rollup, visitRollups } from '../queries/rollups.ts'
import { isWhole, readPlatformDays } from './read.ts'

/** One day's usage of one model, by one agent or by all. */
export type ModelDay = Omit<Rollup, 'agentId'>

/**
 * Visits usage by day and model, for queries that do not group by agent. For the whole platform, a finished day is one
 * row, no matter how many agents there are; other days are read from their rollups.
 */
export async function visitModelDays(
  table: Table,
  query: DaysQuery,
  visit: (day: ModelDay) => void,
): Promise<void> {
  if (query.scope !== 'platform') return visitRollups(table, query, visit)
  const { days } = query
  const stored = await readPlatformDays(table, days, { consistent: false })
  const whole = stored.filter(isWhole)
  for (const { date, models } of whole)
    for (const { costUsd, ...model } of models)
      visit({ ...model, date, cost: fromFloat('meteredUSD', costUsd, 'nearest') })
  const rest = rangesWithout(days, new Set(whole.map(({ date }) => date)))
  await Promise.all(rest.map((range) => visitRollups(table, { ...query, days: range }, visit)))
}

/** Returns the days of a range without some days, as ranges, so that consecutive days are read together. */
function rangesWithout(days: Days, without: ReadonlySet<string>): Days[] {
  const ranges: Days[] = []
  for (const date of eachDay(days)) {
    if (without.has(date)) continue
    const last = ranges.at(-1)
    if (last !== undefined && dayAfter(last.to) === date) last.to = date
    else ranges.push({ from: date, to: date })
  }
  return ranges
}
