import type * as z from 'zod'
import { locateAgents } from '../agents/find.ts'
import type { Table } from '../platform/table/port.ts'
import { monthToDate } from '../usage/days.ts'
import { visitModelDays } from '../usage/platform-days/visit.ts'
import { visitRollups } from '../usage/queries/rollups.ts'
import { costOf, descending, nothing, plus, type Totals } from '../usage/queries/totals.ts'
import type { costList, costQuery } from './schema.ts'

/**
 * What the calendar month has cost so far, dearest first. The platform's own figures name no user, so by user they are
 * those of the user's agents; calls of no agent, or of one that is deleted, have null there. Asked for one user, all
 * calls are that user's.
 */
export async function costsOfMonth(
  { table }: { table: Table },
  { by, userId, limit }: z.output<typeof costQuery>,
): Promise<z.input<typeof costList>> {
  const days = monthToDate()
  const scope = userId === undefined ? 'platform' : { userId }
  let sums = new Map<string | null, Totals>()
  let total: Totals = nothing
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
    total: { calls: total.calls, costUsd: costOf(total) },
  }
}

function add(sums: Map<string | null, Totals>, key: string | null, totals: Totals): void {
  sums.set(key, plus(sums.get(key) ?? nothing, totals))
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
  return { key, calls, inputTokens, outputTokens, costUsd: costOf(totals) }
}
