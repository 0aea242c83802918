import type * as z from 'zod'
import { listRollups } from '#shared/ai/usage/queries/rollups.ts'
import { totalCost, sumOf, tokensOf } from '#shared/ai/usage/queries/totals.ts'
import { messageCounts } from '#shared/conversations/chat/message-count.ts'
import { eachDay, lastDays } from '#shared/platform/days.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { messagesSince } from './messages.ts'
import type { historyAnswer, ranges } from './schema.ts'
import { type MetricsInput, subjectOf } from './subject.ts'

/** The number of days per range. Any 24 hours are within two calendar days. */
const dayCounts = { '24h': 2, '7d': 7, '30d': 30 } as const

interface HistoryInput extends MetricsInput {
  range: (typeof ranges)[number]
  now?: number
}

/** Returns a user's daily figures, including days without usage. @throws PlatformError 404 for another user */
export async function metricsHistory(
  context: Pick<Context<InternalActor>, 'owner' | 'table'>,
  { range: timeRange, now = Date.now(), ...input }: HistoryInput,
): Promise<z.input<typeof historyAnswer>> {
  const { table } = context
  const userId = subjectOf(context, input)
  const days = lastDays(dayCounts[timeRange], now)
  const [counts, rollups] = await Promise.all([
    messageCounts(userStore(table, userId), { from: days.from }),
    listRollups({ table }, { userId, days }),
  ])
  const dates = eachDay(days)
  const metrics = dates.map((date) => {
    const totals = sumOf(rollups.filter((rollup) => rollup.date === date))
    return {
      timestamp: `${date}T00:00:00.000Z`,
      messages: messagesSince(counts.filter((count) => count.date === date)),
      tokens: tokensOf(totals),
      cost: totalCost(totals),
      errors: totals.failures,
    }
  })
  const all = sumOf(rollups)
  const cost = totalCost(all)
  const average = (sum: number) => sum / dates.length
  const averages = {
    messages: average(metrics.reduce((sum, { messages }) => sum + messages, 0)),
    tokens: average(tokensOf(all)),
    cost: cost === null ? null : average(cost),
    errors: average(all.failures),
  }
  return { userId, timeRange, metrics, averages }
}
