import { toNumber } from '#shared/money/amounts/amount.ts'
import { dayOf, eachDay } from '#shared/platform/days.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { grouping, visitRollups } from '../queries/rollups.ts'
import { platformDayRows } from '../rows.ts'
import { lastOver } from './late.ts'
import { isWhole, readPlatformDays } from './read.ts'

/** The longest period of a usage query. */
const retentionMs = 365 * 86_400_000

/**
 * The maximum number of days in one run. A day of 100,000 agents takes a few seconds to read, and a table that is older
 * than this job has a year of days.
 */
const maxDays = 31

/**
 * The maximum number of models of a day. Names of a few hundred letters stay below the 400 KB limit of an item; days
 * with more models are read from the rollups.
 */
const maxModels = 1000

/**
 * Aggregates finished days of the whole platform: new days, and days with usage recorded after their aggregation. Each
 * day is one conditional write. If usage arrives between read and write, the next run retries the day; until then,
 * queries read its rollups.
 * @param now epoch milliseconds
 */
export async function addUpDays(
  { table }: { table: Table },
  now = Date.now(),
): Promise<{ days: number }> {
  const range = { from: dayOf(now - retentionMs), to: lastOver(now) }
  const stored = await readPlatformDays(table, range, { consistent: true })
  const byDate = new Map(stored.map((day) => [day.date, day]))
  const open = eachDay(range).filter((date) => {
    const day = byDate.get(date)
    return day === undefined || !isWhole(day)
  })
  let days = 0
  // The newest days first, because most queries need them.
  for (const date of open.toReversed().slice(0, maxDays))
    if (await addUp(table, date, byDate.get(date)?.late ?? 0)) days++
  return { days }
}

/**
 * @param late the day's late counter before the rollups are read
 * @returns false if late usage arrived in the meantime, or an item cannot hold the day
 */
async function addUp(table: Table, date: string, late: number): Promise<boolean> {
  const { add, groups } = grouping(['model', 'provider'])
  const days = { from: date, to: date }
  await visitRollups(table, { scope: 'platform', days, consistent: true }, add)
  const models = groups().map(({ of: { model, provider }, totals: { cost, ...counts } }) =>
    Object.assign(counts, { model, provider, costUsd: toNumber(cost) }),
  )
  if (models.length > maxModels) return false
  try {
    await table.update(platformDayRows.key({ date }), {
      set: { date, late, added: late, models },
      if: late === 0 ? 'attribute_not_exists(#late) OR #late = :seen' : '#late = :seen',
      values: { seen: late },
    })
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}
