import type * as z from 'zod'
import { lastDays } from '../usage/days.ts'
import { listRollups } from '../usage/queries/rollups.ts'
import { performanceOf, sumOf } from '../usage/queries/totals.ts'
import type { performanceAnswer } from './schema.ts'
import { type MetricsContext, type MetricsInput, subjectOf } from './subject.ts'

/** How a user's calls went in the last 30 days. What the agents' machines do is not known here, so it is null. */
export async function metricsPerformance(
  context: MetricsContext,
  input: MetricsInput,
): Promise<z.input<typeof performanceAnswer>> {
  const userId = subjectOf(context, input)
  const rollups = await listRollups(context, { userId, days: lastDays(30) })
  const { averageResponseMs, errorRate } = performanceOf(sumOf(rollups))
  return { cpu: null, memory: null, errorRate, responseTime: averageResponseMs }
}
