import type * as z from 'zod'
import type { HasModels } from '#shared/ai/gateway/context.ts'
import { estimateCost } from '#shared/ai/gateway/models/estimate-cost.ts'
import { groupUsage } from '#shared/ai/usage/queries/rollups.ts'
import { totalCost, descending, sumOf, type Totals } from '#shared/ai/usage/queries/totals.ts'
import type { PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { lastDays } from '#shared/platform/days.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { repriceAnswer, RepriceQuestion } from './schema.ts'

/**
 * Returns the cost of the caller's usage in some days, and the cost of the same tokens with one model. Cached tokens
 * cost its price of cached tokens if that is known.
 * @throws PlatformError 404 MODEL_NOT_FOUND
 */
export async function reprice(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & HasModels & { planCaps: PlanCaps },
  { days, model }: RepriceQuestion,
): Promise<z.input<typeof repriceAnswer>> {
  const scope = { userId: ctx.owner }
  const groups = await groupUsage(ctx.table, { scope, days: lastDays(days) }, ['model', 'provider'])
  const priced = (totals: Totals) =>
    estimateCost(ctx, {
      model,
      calls: totals.calls,
      inputTokens: totals.inputTokens,
      outputTokens: totals.outputTokens,
      cacheReadTokens: totals.cacheReadTokens,
      cacheWriteTokens: totals.cacheWriteTokens,
    })
  const byModel = await Promise.all(
    groups.map(async ({ of, totals }) => ({
      model: of.model,
      provider: of.provider,
      inputTokens: totals.inputTokens,
      outputTokens: totals.outputTokens,
      cacheReadTokens: totals.cacheReadTokens,
      cacheWriteTokens: totals.cacheWriteTokens,
      reasoningTokens: totals.reasoningTokens,
      turns: totals.calls,
      actualUsd: totalCost(totals),
      wouldBeUsd: await priced(totals),
    })),
  )
  const all = sumOf(groups.map(({ totals }) => totals))
  return {
    actualUsd: totalCost(all),
    wouldBeUsd: await priced(all),
    byModel: byModel.sort((one, other) => descending(one.actualUsd, other.actualUsd)),
    unpriced: all.unpriced,
  }
}
