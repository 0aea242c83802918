import type * as z from 'zod'
import { listRollups } from '#shared/ai/usage/queries/rollups.ts'
import { performanceOf, sumOf } from '#shared/ai/usage/queries/totals.ts'
import { lastDays } from '#shared/platform/days.ts'
import type { InternalActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { performanceAnswer } from './schema.ts'
import { type MetricsInput, subjectOf } from './subject.ts'

/**
 * Returns the performance of a user's calls in the last 30 days. Figures of containers are null, because they are not
 * available here.
 */
export async function metricsPerformance(
  context: Pick<Context<InternalActor>, 'owner' | 'table'>,
  input: MetricsInput,
): Promise<z.input<typeof performanceAnswer>> {
  const userId = subjectOf(context, input)
  const rollups = await listRollups(context, { userId, days: lastDays(30) })
  const { averageResponseMs, errorRate } = performanceOf(sumOf(rollups))
  return { cpu: null, memory: null, errorRate, responseTime: averageResponseMs }
}
