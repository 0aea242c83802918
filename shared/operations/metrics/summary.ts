import type * as z from 'zod'
import { listAgents } from '#shared/agents/record/list.ts'
import { listRollups } from '#shared/ai/usage/queries/rollups.ts'
import { totalCost, sumOf, tokensOf } from '#shared/ai/usage/queries/totals.ts'
import { messageCounts } from '#shared/conversations/chat/message-count.ts'
import { countBookings } from '#shared/network/bookings/count.ts'
import { monthToDate } from '#shared/platform/days.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { countAgents } from './agents.ts'
import { messagesSince } from './messages.ts'
import type { summaryAnswer } from './schema.ts'
import { type MetricsInput, subjectOf } from './subject.ts'

/** Returns a summary of a user's month, and of their bookings of all time. */
export async function metricsSummary(
  context: Pick<Context<InternalActor>, 'owner' | 'table'>,
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
    cost: { month: totalCost(totals) },
    bookings: { completed: bookings.accepted, pending: bookings.offered },
  }
}
