import type * as z from 'zod'
import { requireAgent } from '#shared/agents/record/find.ts'
import type { HasModels } from '#shared/ai/gateway/context.ts'
import { modelsFor } from '#shared/ai/gateway/models/choose.ts'
import { estimateCost } from '#shared/ai/gateway/models/estimate-cost.ts'
import { generalTier } from '#shared/ai/gateway/models/tiers.ts'
import { type CompletionRequest, parseChatRequest } from '#shared/ai/gateway/request.ts'
import { promptTokens, sizeOfPrompt } from '#shared/ai/gateway/tokens.ts'
import { monthOf } from '#shared/ai/usage/month.ts'
import { toMicroUsd } from '#shared/ai/usage/quota/micro-usd.ts'
import { readMonth } from '#shared/ai/usage/quota/parts.ts'
import { monthlyCap, type PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { monthlyUsage } from '../overview/usage.ts'
import type { estimateAnswer, EstimateQuestion } from './schema.ts'

/** The days of a month in an estimate: contract.md 11. */
const daysOfMonth = 30

/**
 * Estimates the cost of a call, between an answer of one token and the longest one, and returns the caller's remaining
 * cap and quota.
 * @throws PlatformError 400 for messages that the gateway rejects, 404 for another user's agent, 404 MODEL_NOT_FOUND,
 * 503 without a provider
 */
export async function estimate(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & HasModels & { planCaps: PlanCaps },
  question: EstimateQuestion,
): Promise<z.input<typeof estimateAnswer>> {
  const { maxTokens, runsPerDay } = question
  const messages = messagesOf(question)
  const model = await modelOf(ctx, question)
  const inputTokens = promptTokens(sizeOfPrompt({ messages }), model)
  const costOf = (outputTokens: number) => estimateCost(ctx, { model, inputTokens, outputTokens })
  const low = await costOf(1)
  const high = await costOf(maxTokens)
  const ofMonth = (usd: number | null) =>
    usd === null ? null : usd * (runsPerDay ?? 0) * daysOfMonth
  return {
    model,
    inputTokens,
    low,
    high,
    currency: 'USD',
    perMonth: runsPerDay === undefined ? null : { low: ofMonth(low), high: ofMonth(high) },
    capRemaining: await capRemaining(ctx),
    quotaRemaining: (await monthlyUsage(ctx)).remaining,
    note:
      low === null
        ? 'The price of this model is unknown'
        : 'Calculated with list prices; the tokens of the prompt are a high estimate, and tokens that tools add are not counted',
  }
}

function messagesOf({ messages, prompt }: EstimateQuestion): CompletionRequest['messages'] {
  if (messages !== undefined && messages.length > 0) return parseChatRequest({ messages }).messages
  return prompt === undefined ? [] : [{ role: 'user', content: prompt }]
}

/** Returns the requested model. If an agent's model is a name of its runtime, the platform selects the model. */
async function modelOf(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & HasModels & { planCaps: PlanCaps },
  { model, agentId }: EstimateQuestion,
): Promise<string> {
  const { owner } = ctx
  const agent = agentId === undefined ? undefined : await requireAgent(ctx, { owner, agentId })
  if (model !== undefined) return model
  if (agent?.model.includes('/')) return agent.model
  const [first] = modelsFor(ctx.providers, generalTier)
  if (first === undefined) throw notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  return first
}

async function capRemaining({
  table,
  actor,
  owner,
  planCaps,
}: Pick<UserContext, 'actor' | 'owner' | 'table'> & { planCaps: PlanCaps }): Promise<
  number | null
> {
  const { spendCapUsd, plan, isAdmin } = actor.user
  const cap = monthlyCap(spendCapUsd, isAdmin ? undefined : planCaps[plan])
  if (cap === null) return null
  const { used } = (await readMonth(table, owner, monthOf(Date.now()))).microUsd
  return Math.max(0, toMicroUsd(cap) - used) / 1e6
}
