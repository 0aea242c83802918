import { fromFloat } from '#shared/money/amounts/amount.ts'
import { plans } from '#shared/money/plans/plans.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Caller } from '../gateway/caller.ts'
import { complete, type StartedCall } from '../gateway/completions/complete.ts'
import type { AiContext } from '../gateway/context.ts'
import { chatCall } from '../gateway/families/chat/call.ts'
import type { ChatAnswer } from '../gateway/families/chat/write.ts'
import { filterListed } from '../gateway/models/filter-listed.ts'
import { writeUsage } from '../gateway/usage.ts'
import { demoCaller } from '../usage/shared-callers.ts'
import { demoProvider } from './list.ts'
import { type DemoAnswer, type DemoRequest, messagesOf } from './schema.ts'

const maxAnswerTokens = 1024

const spent = 'SPEND_CAP_REACHED'

/** The caller of every demo call. */
const visitor: Omit<Caller, 'cap' | 'plan'> = {
  ...demoCaller,
  subscribed: true,
  agentCap: null,
  spendLimits: [],
  creditMicroUsd: 0,
  byok: {},
}

export interface DemoInput {
  request: DemoRequest
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** The time limit for all attempts with all models. */
  withinMs: number
  /** The spend cap of all visitors per calendar month; null for no limit. */
  capUsd: number | null
  endpoint: string
}

/**
 * Answers a caller without an account, with fallback like every completion. The usage is recorded or queued. Call
 * `followed` after the response is sent.
 * @throws PlatformError 400 for another model, 503 without a provider or if the month's cap is reached, 500 if no model
 * answers with text in time
 */
export async function demoChat(
  context: AiContext,
  { request, signal, withinMs, capUsd, endpoint }: DemoInput,
): Promise<{ answer: DemoAnswer; followed(): Promise<void> }> {
  demoProvider(context.providers)
  const model = await chosenModel(context, request)
  const plan = { ...plans.label, monthlyTokens: null, models: context.providers.sets.demo }
  const deadline = AbortSignal.timeout(withinMs)
  const body = { model, messages: messagesOf(request), max_tokens: maxAnswerTokens }
  const completion = await complete(context, {
    caller: { ...visitor, plan, cap: capUsd === null ? null : fromFloat('USD', capUsd, 'up') },
    read: () => chatCall(body),
    signal,
    deadline,
    endpoint,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error
    if (error instanceof PlatformError && error.code === spent) throw usedUp()
    throw noResponse(deadline.aborted ? deadline.reason : error)
  })
  const message = textOf(completion)
  await completion.settle()
  if (completion.kind !== 'whole' || message === undefined) {
    await completion.followed()
    throw noResponse(new Error('the answer has no text'))
  }
  const { answer, usage, followed } = completion
  const { id, model: served } = answer
  return { answer: { id, model: served, message, usage: writeUsage(usage), done: true }, followed }
}

/** @throws PlatformError 400 for a model that is not one of the demo's */
async function chosenModel(
  sources: AiContext,
  { model }: DemoRequest,
): Promise<string | undefined> {
  const { demo } = sources.providers.sets
  if (model === undefined) return (await filterListed(sources, demo))[0]
  if (demo.includes(model)) return model
  throw new PlatformError('bad-request', `model must be one of ${demo.join(', ')}`)
}

function textOf(completion: StartedCall<ChatAnswer>): string | undefined {
  if (completion.kind !== 'whole') return undefined
  const content = completion.answer.choices[0]?.message.content
  return typeof content === 'string' ? content : undefined
}

/** The error hides the amount from visitors. */
function usedUp(): PlatformError {
  const message = 'Demo unavailable — it is used up for this month.'
  return new PlatformError('unavailable', message, { code: spent })
}

/** The text of spec.md; the cause is for the log. */
function noResponse(cause: unknown): PlatformError {
  return new PlatformError('internal', 'Failed to get response', { cause })
}
