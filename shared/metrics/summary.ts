import type * as z from 'zod'
import { listAgents } from '../agents/list.ts'
import { countBookings } from '../bookings/count.ts'
import { messageCounts } from '../chat/message-count.ts'
import { userStore } from '../platform/table/user-store.ts'
import { monthToDate } from '../usage/days.ts'
import { listRollups } from '../usage/queries/rollups.ts'
import { costOf, sumOf, tokensOf } from '../usage/queries/totals.ts'
import { countAgents } from './agents.ts'
import { messagesSince } from './messages.ts'
import type { summaryAnswer } from './schema.ts'
import { type MetricsContext, type MetricsInput, subjectOf } from './subject.ts'

/** Returns a summary of a user's month, and of their bookings of all time. */
export async function metricsSummary(
  context: MetricsContext,
  input: MetricsInput,
): Promise<z.input<typeof summaryAnswer>> {
  const { table } = context
  const userId = subjectOf(context, input)
  const month = monthToDate()
  const [agents, counts, rollups, bookings] = await Promise.all([
    listAgents({ table }, { userId }),
    messageCounts(userStore(table, userId)),
    listRollups({ table }, { userId, days: month }),
    countBookings({ table }, { userId }),
  ])
  const totals = sumOf(rollups)
  const { total, active } = countAgents(agents)
  return {
    agents: { total, active },
    messages: { month: messagesSince(counts, month.from), total: messagesSince(counts) },
    tokens: { month: tokensOf(totals) },
    cost: { month: costOf(totals) },
    bookings: { completed: bookings.accepted, pending: bookings.offered },
  }
}
