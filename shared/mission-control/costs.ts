import type * as z from 'zod'
import { listAgents } from '../agents/list.ts'
import type { UserContext } from '../identity/context.ts'
import { toNumber } from '../money/amount.ts'
import { monthToDate } from '../usage/days.ts'
import { groupBy, listRollups } from '../usage/queries/rollups.ts'
import { costOf, nothing, sumOf } from '../usage/queries/totals.ts'
import type { costsAnswer } from './schema.ts'

/** Returns the cost of each of the user's agents in this calendar month, newest agent first. */
export async function fleetCosts({
  table,
  actor,
}: Pick<UserContext, 'actor' | 'table'>): Promise<z.input<typeof costsAnswer>> {
  const { id: userId, plan } = actor.user
  const [agents, rollups] = await Promise.all([
    listAgents({ table }, { userId }),
    listRollups({ table }, { userId, days: monthToDate() }),
  ])
  const spent = new Map(groupBy(rollups, ['agentId']).map(({ of, totals }) => [of.agentId, totals]))
  const totals = agents.map(({ id }) => spent.get(id) ?? nothing)
  return {
    costs: agents.map(({ id, name, status, createdAt }, i) => {
      const cost = costOf(totals[i] ?? nothing)
      return { agentId: id, agentName: name, status, cost, createdAt }
    }),
    totalSpend: toNumber(sumOf(totals).cost),
    plan,
  }
}
