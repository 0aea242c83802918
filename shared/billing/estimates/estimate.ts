import type * as z from 'zod'
import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import type { HasModels } from '#shared/ai/gateway/context.ts'
import { type CompletionRequest, parseChatRequest } from '#shared/ai/gateway/families/chat/parse.ts'
import { modelsFor } from '#shared/ai/gateway/models/choose.ts'
import { estimateCost } from '#shared/ai/gateway/models/estimate-cost.ts'
import { generalTier } from '#shared/ai/gateway/models/tiers.ts'
import { promptTokens, sizeOfPrompt } from '#shared/ai/gateway/tokens.ts'
import { dailyLimit, keySpendLimits } from '#shared/ai/usage/quota/spend-limit.ts'
import { spendingOf } from '#shared/ai/usage/quota/spending.ts'
import { readCap } from '#shared/money/amounts/cap.ts'
import { monthlyCap, type PlanCaps } from '#shared/money/plans/spend-cap.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { monthlyUsage } from '../overview/usage.ts'
import type { estimateAnswer, EstimateQuestion } from './schema.ts'

/** The days of a month in an estimate: contract.md 11. */
const daysOfMonth = 30

interface HasPlanCaps {
  planCaps: PlanCaps
}

/**
 * Estimates the cost of a call, between an answer of one token and the longest one, and returns the remaining
 * cap and quota.
 * @throws PlatformError 400 for messages that the gateway rejects, 404 for another user's agent, 404 MODEL_NOT_FOUND,
 * 503 without a provider
 */
export async function estimate(
  ctx: Pick<UserContext, 'actor' | 'owner' | 'table'> & HasModels & HasPlanCaps,
  question: EstimateQuestion,
): Promise<z.input<typeof estimateAnswer>> {
  const { maxTokens, runsPerDay } = question
  const messages = messagesOf(question)
  const { owner } = ctx
  const { agentId } = question
  const agent = agentId === undefined ? undefined : await requireAgent(ctx, { owner, agentId })
  const model = modelOf(ctx, question, agent)
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
    capRemaining: await capRemaining(ctx, agent),
    quotaRemaining: (await monthlyUsage(ctx)).remaining,
    note:
      low === null
        ? 'The price of this model is unknown'
        : 'Calculated with list prices, without cached tokens; reasoning counts toward maxTokens, the tokens of the prompt are a high estimate, and tokens that tools add are not counted',
  }
}

function messagesOf({ messages, prompt }: EstimateQuestion): CompletionRequest['messages'] {
  if (messages !== undefined && messages.length > 0) return parseChatRequest({ messages }).messages
  return prompt === undefined ? [] : [{ role: 'user', content: prompt }]
}

/** Returns the requested model. If an agent's model is a name of its runtime, the platform selects the model. */
function modelOf(ctx: HasModels, { model }: EstimateQuestion, agent: Agent | undefined): string {
  if (model !== undefined) return model
  if (agent?.model.includes('/')) return agent.model
  const [first] = modelsFor(ctx.providers, generalTier)
  if (first === undefined) throw notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  return first
}

/** Returns the smallest remainder of the caps that limit a call of the caller or of the agent. */
async function capRemaining(
  { table, actor, owner, planCaps }: Pick<UserContext, 'actor' | 'owner' | 'table'> & HasPlanCaps,
  agent: Agent | undefined,
): Promise<number | null> {
  const { user } = actor
  const { keyId, keyLimits = {} } = user
  const config = agent?.config ?? {}
  const spending = await spendingOf(table, {
    userId: owner,
    agentId: agent?.id ?? null,
    cap: monthlyCap(user.spendCapUsd, user.isAdmin ? undefined : planCaps[user.plan]),
    agentCap: monthlyCap(readCap(config.spendCapUsd), undefined),
    spendLimits: [
      ...dailyLimit('user', owner, user.spendCapUsdPerDay),
      ...(agent ? dailyLimit('agent', agent.id, readCap(config.spendCapUsdPerDay)) : []),
      ...(keyId === undefined ? [] : keySpendLimits(keyId, keyLimits)),
    ],
  })
  if (spending.length === 0) return null
  return Math.min(...spending.map(({ cap, used }) => Math.max(0, cap - used))) / 1e6
}
