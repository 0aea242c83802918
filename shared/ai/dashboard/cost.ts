import { listAgents } from '#shared/agents/record/list.ts'
import { type Days, lastDays, monthToDate } from '#shared/platform/days.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { listRollups, type Rollup } from '../usage/queries/rollups.ts'
import { sumOf } from '../usage/queries/totals.ts'
import { userRollupRows } from '../usage/rows.ts'
import { breakdownOf } from './breakdown.ts'
import { sampleRollups } from './sample.ts'
import type { CostAnswer, Period } from './schema.ts'

/**
 * Returns the cost of a user's agents in a period, by agent, day and model. Returns sample figures if the user has no
 * usage yet, or if the usage cannot be read: spec.md, Usage tracking and Server log lines.
 * @throws PlatformError 500 if only the agents' names cannot be read
 */
export async function costDashboard(
  context: Pick<UserContext, 'owner' | 'table' | 'log'>,
  { period }: { period: Period },
): Promise<CostAnswer> {
  const days = daysOf(period)
  const rollups = await usageOf(context, days)
  if (typeof rollups === 'string') return sample(period, days, rollups)
  const names = rollups.length === 0 ? new Map() : await namesOf(context)
  const nameOf = (agentId: string | null) =>
    agentId === null ? '(no agent)' : (names.get(agentId) ?? agentId)
  return { period, ...breakdownOf(rollups, days, nameOf), isMockData: false }
}

function daysOf(period: Period): Days {
  if (period === 'mtd') return monthToDate()
  return lastDays(period === '30d' ? 30 : 7)
}

/** Returns a user's rollups, or the reason for sample figures. */
async function usageOf(
  { table, log, owner }: Pick<UserContext, 'owner' | 'table' | 'log'>,
  days: Days,
): Promise<Rollup[] | string> {
  try {
    const rollups = await listRollups({ table }, { userId: owner, days })
    log.info(`[Cost API] Found ${sumOf(rollups).calls} usage logs`)
    if (rollups.length > 0 || (await usedBefore(table, owner))) return rollups
    return 'No usage yet: these are sample figures.'
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    log.error(`[Cost API] Table error: ${message}`)
    return 'The usage cannot be read at the moment: these are sample figures.'
  }
}

/** Reports whether a user has usage outside the period; if so, the empty period is shown instead of sample figures. */
async function usedBefore(table: Table, userId: string): Promise<boolean> {
  const { items } = await userStore(table, userId).query({
    beginsWith: userRollupRows.prefix(),
    limit: 1,
  })
  return items.length > 0
}

function sample(period: Period, days: Days, message: string): CostAnswer {
  const figures = breakdownOf(sampleRollups(days), days, String)
  return { period, ...figures, isMockData: true, message }
}

/** Returns the names of a user's agents by id, without deleted agents. */
async function namesOf({
  table,
  owner,
}: Pick<UserContext, 'owner' | 'table'>): Promise<Map<string, string>> {
  try {
    const agents = await listAgents({ table }, { userId: owner })
    return new Map(agents.map(({ id, name }) => [id, name]))
  } catch (error) {
    throw new PlatformError('internal', 'Failed to fetch cost data', { cause: error })
  }
}
