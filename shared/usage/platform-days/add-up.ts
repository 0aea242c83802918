import { toNumber } from '../../money/amount.ts'
import { ConditionFailed, type Table } from '../../platform/table/port.ts'
import { dayOf, eachDay } from '../days.ts'
import { grouping, visitRollups } from '../queries/rollups.ts'
import { platformDayRows } from '../rows.ts'
import { lastOver } from './late.ts'
import { isWhole, readPlatformDays } from './read.ts'

/** As far back as usage can be asked for. */
const keptMs = 365 * 86_400_000

/** Days a tick: a day of 100,000 agents is some seconds of reading, and a table that is older than this function has a year of them. */
const atOnce = 31

/** Models of a day, which names of some hundred letters keep below the 400 KB of an item: of more, the rollups are read. */
const mostModels = 1000

/**
 * Adds up the days of the whole platform that are over: those that were not yet, and those for which something was
 * recorded since. A day is one write, which holds while nothing late comes; what comes between reading and writing
 * leaves the day to the next tick, and till then its rollups are read.
 * @param now epoch milliseconds
 */
export async function addUpDays(
  { table }: { table: Table },
  now = Date.now(),
): Promise<{ days: number }> {
  const range = { from: dayOf(now - keptMs), to: lastOver(now) }
  const kept = await readPlatformDays(table, range, { consistent: true })
  const byDate = new Map(kept.map((day) => [day.date, day]))
  const open = eachDay(range).filter((date) => {
    const day = byDate.get(date)
    return day === undefined || !isWhole(day)
  })
  let days = 0
  // The newest are asked for most.
  for (const date of open.toReversed().slice(0, atOnce))
    if (await addUp(table, date, byDate.get(date)?.late ?? 0)) days++
  return { days }
}

/** @param late what had come late before the rollups are read @returns false where more came meanwhile, or one item cannot hold it */
async function addUp(table: Table, date: string, late: number): Promise<boolean> {
  const { add, groups } = grouping(['model', 'provider'])
  const days = { from: date, to: date }
  await visitRollups(table, { scope: 'platform', days, consistent: true }, add)
  const models = groups().map(({ of: { model, provider }, totals: { cost, ...counts } }) =>
    Object.assign(counts, { model, provider, costUsd: toNumber(cost) }),
  )
  if (models.length > mostModels) return false
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
