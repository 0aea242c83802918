import { type CompletionUsage, completionEvent } from '#shared/ai/usage/event.ts'
import { reserve } from '#shared/ai/usage/quota/reserve.ts'
import { recordEvents } from '#shared/ai/usage/record-events.ts'
import { settleCall } from '#shared/ai/usage/settle.ts'
import type { Table } from '#shared/platform/table/port.ts'

type CompletionFields = Partial<CompletionUsage> & Pick<CompletionUsage, 'userId'>

/**
 * Records a completion as the gateway does.
 * @param at epoch milliseconds
 */
export async function recordCompletion(table: Table, fields: CompletionFields, at = Date.now()) {
  const event = completionEvent(completionOf(fields), at)
  await recordEvents({ table }, { events: [event] })
  return event
}

/** Records a completion and settles it against the user's monthly quota, as the gateway does. */
export async function settleCompletion(
  table: Table,
  fields: CompletionFields,
  at = Date.now(),
): Promise<void> {
  const completion = completionOf(fields)
  const { userId, agentId, inputTokens, outputTokens, costUsd } = completion
  const amounts = {
    tokens: inputTokens + outputTokens,
    microUsd: Math.ceil((costUsd ?? 0) * 1_000_000),
  }
  const limits = { plan: 'network', limit: null, cap: null, agentCap: null }
  const reservation = await reserve({ table }, { userId, agentId, ...limits, amounts }, at)
  await settleCall({ table }, { event: completionEvent(completion, at), reservation }, at)
}

function completionOf(fields: CompletionFields): CompletionUsage {
  return {
    agentId: null,
    model: 'openai/gpt-4o',
    provider: 'router',
    inputTokens: 100,
    outputTokens: 10,
    costUsd: 0.25,
    estimated: false,
    success: true,
    durationMs: 200,
    endpoint: '/v1/chat/completions',
    ...fields,
  }
}
