import type * as z from 'zod'
import { messageCounts } from '../chat/message-count.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { eachDay, lastDays } from '../usage/days.ts'
import { listRollups } from '../usage/queries/rollups.ts'
import { costOf, sumOf, tokensOf } from '../usage/queries/totals.ts'
import { messagesSince } from './messages.ts'
import type { historyAnswer, ranges } from './schema.ts'

/** Any 24 hours lie in two days. */
const dayCounts = { '24h': 2, '7d': 7, '30d': 30 } as const

/** A user's figures day by day, a day without any included. */
export async function metricsHistory(
  table: Table,
  userId: string,
  timeRange: (typeof ranges)[number],
  now = Date.now(),
): Promise<z.input<typeof historyAnswer>> {
  const days = lastDays(dayCounts[timeRange], now)
  const [counts, rollups] = await Promise.all([
    messageCounts(userStore(table, userId)),
    listRollups(table, userId, days),
  ])
  const dates = eachDay(days)
  const metrics = dates.map((date) => {
    const totals = sumOf(rollups.filter((rollup) => rollup.date === date))
    return {
      timestamp: `${date}T00:00:00.000Z`,
      messages: messagesSince(counts.filter((count) => count.date === date)),
      tokens: tokensOf(totals),
      cost: costOf(totals),
      errors: totals.failures,
    }
  })
  const all = sumOf(rollups)
  const cost = costOf(all)
  const average = (sum: number) => sum / dates.length
  const averages = {
    messages: average(metrics.reduce((sum, { messages }) => sum + messages, 0)),
    tokens: average(tokensOf(all)),
    cost: cost === null ? null : average(cost),
    errors: average(all.failures),
  }
  return { userId, timeRange, metrics, averages }
}
