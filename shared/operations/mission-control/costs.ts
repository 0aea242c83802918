import type * as z from 'zod'
import { listAgents } from '#shared/agents/record/list.ts'
import { groupBy, listRollups } from '#shared/ai/usage/queries/rollups.ts'
import { totalCost, noUsage, sumOf } from '#shared/ai/usage/queries/totals.ts'
import { toNumber } from '#shared/money/amounts/amount.ts'
import { monthToDate } from '#shared/platform/days.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { costsAnswer } from './schema.ts'

/** Returns the cost of each of the user's agents in this calendar month, newest agent first. */
export async function fleetCosts({
  table,
  actor,
  owner,
}: Pick<UserContext, 'actor' | 'owner' | 'table'>): Promise<z.input<typeof costsAnswer>> {
  const [agents, rollups] = await Promise.all([
    listAgents({ table }, { userId: owner }),
    listRollups({ table }, { userId: owner, days: monthToDate() }),
  ])
  const spent = new Map(groupBy(rollups, ['agentId']).map(({ of, totals }) => [of.agentId, totals]))
  const totals = agents.map(({ id }) => spent.get(id) ?? noUsage)
  return {
    costs: agents.map(({ id, name, status, createdAt }, i) => {
      const cost = totalCost(totals[i] ?? noUsage)
      return { agentId: id, agentName: name, status, cost, createdAt }
    }),
    totalSpend: toNumber(sumOf(totals).cost),
    plan: actor.user.plan,
  }
}
