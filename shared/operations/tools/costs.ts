import type * as z from 'zod'
import { locateAgents } from '#shared/agents/record/find.ts'
import { visitModelDays } from '#shared/ai/usage/platform-days/visit.ts'
import { visitRollups } from '#shared/ai/usage/queries/rollups.ts'
import {
  totalCost,
  descending,
  noUsage,
  plus,
  type Totals,
} from '#shared/ai/usage/queries/totals.ts'
import { monthToDate } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { costList, costQuery } from './schema.ts'

/**
 * Returns the costs of the calendar month so far, the highest first. The rollups of the platform contain no user, so
 * costs by user are the costs of the user's agents; the user is null for calls without an agent and calls of a deleted
 * agent. For a single user, all calls belong to that user.
 */
export async function costsOfMonth(
  { table }: { table: Table },
  { by, userId, limit }: z.output<typeof costQuery>,
): Promise<z.input<typeof costList>> {
  const days = monthToDate()
  const scope = userId === undefined ? 'platform' : { userId }
  let sums = new Map<string | null, Totals>()
  let total: Totals = noUsage
  const count = (key: string | null, totals: Totals) => {
    add(sums, key, totals)
    total = plus(total, totals)
  }
  const query = { scope, days } as const
  if (by === 'model') await visitModelDays(table, query, (day) => count(day.model, day))
  else await visitRollups(table, query, (rollup) => count(rollup.agentId, rollup))
  if (by === 'user')
    sums = userId === undefined ? await byOwner(table, sums) : new Map([[userId, total]])
  const rows = [...sums].map(rowOf).sort((a, b) => descending(a.costUsd, b.costUsd))
  return {
    ...days,
    rows: rows.slice(0, limit),
    more: Math.max(0, rows.length - limit),
    total: { calls: total.calls, costUsd: totalCost(total) },
  }
}

function add(sums: Map<string | null, Totals>, key: string | null, totals: Totals): void {
  sums.set(key, plus(sums.get(key) ?? noUsage, totals))
}

async function byOwner(
  table: Table,
  agents: Map<string | null, Totals>,
): Promise<Map<string | null, Totals>> {
  const ids = [...agents.keys()].filter((id) => id !== null)
  const owners = await locateAgents(table, ids)
  const users = new Map<string | null, Totals>()
  for (const [id, totals] of agents)
    add(users, (id !== null && owners.get(id)?.userId) || null, totals)
  return users
}

function rowOf([key, totals]: [string | null, Totals]) {
  const { calls, inputTokens, outputTokens } = totals
  return { key, calls, inputTokens, outputTokens, costUsd: totalCost(totals) }
}
