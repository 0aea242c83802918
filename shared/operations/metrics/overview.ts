import type * as z from 'zod'
import { listAgents } from '#shared/agents/record/list.ts'
import { listRollups } from '#shared/ai/usage/queries/rollups.ts'
import { performanceOf, sumOf } from '#shared/ai/usage/queries/totals.ts'
import { messageCounts } from '#shared/conversations/chat/message-count.ts'
import { dayOf, mondayOf, monthToDate } from '#shared/platform/days.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { countAgents, countDeployments } from './agents.ts'
import { messagesSince } from './messages.ts'
import type { overviewAnswer } from './schema.ts'

/** Returns the figures of a user's own agents, from their rows and the daily counts. */
export async function metricsOverview(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  { now = Date.now() }: { now?: number } = {},
): Promise<z.input<typeof overviewAnswer>> {
  const month = monthToDate(now)
  const monday = mondayOf(now)
  const [agents, counts, rollups] = await Promise.all([
    listAgents({ table }, { userId: owner }),
    messageCounts(userStore(table, owner), { from: monday < month.from ? monday : month.from }),
    listRollups({ table }, { userId: owner, days: month }),
  ])
  const { averageResponseMs, successRate } = performanceOf(sumOf(rollups))
  return {
    metrics: {
      agents: countAgents(agents),
      messages: {
        today: messagesSince(counts, dayOf(now)),
        thisWeek: messagesSince(counts, monday),
        thisMonth: messagesSince(counts, month.from),
      },
      deployments: countDeployments(agents),
      performance: { averageResponseMs, successRate },
    },
    timestamp: isoOf(now),
  }
}
