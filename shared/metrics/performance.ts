import type * as z from 'zod'
import type { Table } from '../platform/table/port.ts'
import { lastDays } from '../usage/days.ts'
import { listRollups } from '../usage/queries/rollups.ts'
import { performanceOf, sumOf } from '../usage/queries/totals.ts'
import type { performanceAnswer } from './schema.ts'

/** How a user's calls went in the last 30 days. What the agents' machines do is not known here, so it is null. */
export async function metricsPerformance(
  table: Table,
  userId: string,
): Promise<z.input<typeof performanceAnswer>> {
  const rollups = await listRollups(table, userId, lastDays(30))
  const { averageResponseMs, errorRate } = performanceOf(sumOf(rollups))
  return { cpu: null, memory: null, errorRate, responseTime: averageResponseMs }
}
