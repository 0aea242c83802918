import type { Caller } from '#shared/ai/gateway/caller.ts'
import { complete } from '#shared/ai/gateway/completions/complete.ts'
import { chatCall } from '#shared/ai/gateway/families/chat/call.ts'
import { chooseModels } from '#shared/ai/gateway/models/choose.ts'
import { writeUsage } from '#shared/ai/gateway/usage.ts'
import { gatewayPayer } from '#shared/ai/usage/shared-callers.ts'
import { fromFloat } from '#shared/money/amounts/amount.ts'
import { plans } from '#shared/money/plans/plans.ts'
import type { PaidGatewayContext, PaidWork } from '../context.ts'
import { path } from '../path.ts'
import type { GatewayAnswer, GenerateText } from '../schema.ts'

/** The caller of the model. The platform pays for the tokens, which are part of the price. */
const payer: Omit<Caller, 'cap'> = {
  userId: gatewayPayer,
  agentId: null,
  plan: { ...plans.label, monthlyTokens: null },
  subscribed: true,
  agentCap: null,
  spendLimits: [],
  creditMicroUsd: 0,
  byok: {},
}

/**
 * Returns an answer of a model. Its usage is recorded even if the payment fails.
 * @throws PlatformError 403 MODEL_RESTRICTED, 503 without a provider
 */
export async function generateText(
  ctx: PaidGatewayContext,
  { prompt, messages, model: named, max_tokens }: GenerateText,
): Promise<PaidWork<GatewayAnswer>> {
  // contract.md 10: the default is the first model of the label plan.
  const model = named ?? ctx.providers.sets.plans.label?.[0]
  await chooseModels(ctx, { plan: payer.plan ?? plans.label, model, agent: false })
  const { capUsd } = ctx
  const prompts = messages ?? [{ role: 'user' as const, content: prompt ?? '' }]
  return {
    async run(deadline) {
      const completion = await complete(ctx, {
        caller: { ...payer, cap: capUsd === null ? null : fromFloat('USD', capUsd, 'up') },
        read: () => chatCall({ model, messages: prompts, max_tokens }),
        // The payment is for the whole answer, so a caller that disconnects does not end the call.
        signal: new AbortController().signal,
        deadline: deadline.signal,
        endpoint: path,
      })
      await completion.settle()
      await completion.followed()
      if (completion.kind !== 'whole') throw new Error('a stream was not asked for')
      const { answer, usage } = completion
      const text = answer.choices[0]?.message.content
      if (typeof text !== 'string' || text === '') throw new Error('the answer has no text')
      const { id, model: served } = answer
      return {
        answer: { plugin: 'generate-text', id, model: served, text, usage: writeUsage(usage) },
      }
    },
  }
}
