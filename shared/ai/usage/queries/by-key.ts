import { fromFloat } from '#shared/money/amounts/amount.ts'
import type { Days } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userKeyRows } from '../rows.ts'
import { visitDays } from './read.ts'
import { visitRollups } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { descending, figuresOf, minus, noUsage, partsOf, plus, type Totals } from './totals.ts'

interface KeyGroup {
  id: string | null
  name: string | null
  totals: Totals
}

/**
 * Returns a user's usage by API key, most expensive first. Usage without a key, such as an agent's own calls, is the
 * rest of the total, in a row without an id. A deleted key keeps its row and its name.
 */
export async function usageByKey(
  { table }: { table: Table },
  { userId, days }: { userId: string; days: Days },
): Promise<UsageItem<'byKey'>[]> {
  const keys = new Map<string, KeyGroup>()
  let [whole, keyed] = [noUsage, noUsage]
  const scope = { userId }
  await Promise.all([
    visitRollups(table, { scope, days }, (rollup) => void (whole = plus(whole, rollup))),
    visitDays(table, { scope, days, rows: userKeyRows }, (item) => {
      const { keyId: id, keyName, costUsd, ...row } = userKeyRows.parse(item)
      const day: Totals = { ...row, cost: fromFloat('meteredUSD', costUsd, 'nearest') }
      const { name = null, totals = noUsage } = keys.get(id) ?? {}
      // Days are sorted oldest first, so the last name stays.
      keys.set(id, { id, name: keyName ?? name, totals: plus(totals, day) })
      keyed = plus(keyed, day)
    }),
  ])
  const rest: KeyGroup = { id: null, name: null, totals: minus(whole, keyed) }
  const groups = rest.totals.calls > 0 ? [...keys.values(), rest] : [...keys.values()]
  return groups.map(item).sort((a, b) => descending(a.cost_usd, b.cost_usd) || b.turns - a.turns)
}

function item({ id, name, totals }: KeyGroup) {
  return {
    key_id: id,
    key_name: name,
    ...figuresOf(totals),
    ...partsOf(totals),
    turns: totals.calls,
  }
}
