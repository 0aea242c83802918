import { idPrefixes } from '#shared/manifest/ids.ts'
import type { PlatformError } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Completion, isObject } from '../../answers/form.ts'
import { OpaqueFields, sealOpaque } from '../../answers/opaque.ts'
import type { Served } from '../../completions/call.ts'
import type { TokenUsage } from '../../usage.ts'
import {
  callId,
  callItem,
  calledTool,
  functionOf,
  messageItem,
  type OutputItem,
  reasoningItem,
  refusalPart,
  textPart,
  thinkingIn,
} from './output.ts'
import type { ResponsesRequest } from './parse.ts'
import type { ToolNames } from './translate-tools.ts'

/** OpenAI's usage of a response. */
export function writeResponsesUsage(usage: TokenUsage) {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: inputTokens + outputTokens,
  }
}

export type ResponseBody = Record<string, unknown> & { output: OutputItem[] }

/** Returns a response that is in progress. It repeats the fields of its request, as OpenAI's does. */
export function beginResponse(request: ResponsesRequest, model: string): ResponseBody {
  return {
    id: newId(idPrefixes.response),
    object: 'response',
    created_at: epochSeconds(),
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...request.reasoning },
    service_tier: 'default',
    store: false,
    temperature: request.temperature ?? 1,
    text: { format: { type: 'text' }, ...request.text },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
    usage: null,
    user: request.user ?? null,
  }
}

/** Returns the status of a response that ended by a finish reason of chat completions. */
export function endOf(finish: string | null | undefined) {
  if (finish === 'length')
    return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } as const
  if (finish === 'content_filter')
    return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } } as const
  return { status: 'completed', incomplete_details: null } as const
}

/** Returns the fields of a response that failed. */
export function failureOf({ code, message }: PlatformError) {
  return { status: 'failed', error: { code: code ?? 'server_error', message } } as const
}

/** Translates a chat completion to a response. */
export function writeResponse(
  completion: Completion,
  { model, usage }: Served,
  request: ResponsesRequest,
  tools: ToolNames,
): ResponseBody {
  const [choice] = completion.choices
  const { content, reasoning_content, reasoning, refusal, tool_calls, ...more } =
    choice?.message ?? {}
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []
  const opaque = new OpaqueFields()
  opaque.take(more)
  for (const call of calls) opaque.takeCall(call)
  const [field, thinking] = thinkingIn({ reasoning_content, reasoning })
  const rest = opaque.sealed()
  const logprobs = isObject(choice?.['logprobs']) ? choice['logprobs'].content : undefined
  const parts = [
    ...(typeof content === 'string' && content !== '' ? [textPart(content, logprobs)] : []),
    ...(typeof refusal === 'string' && refusal !== '' ? [refusalPart(refusal)] : []),
  ]
  const { status, incomplete_details } = endOf(choice?.finish_reason)
  const thoughts = [
    ...(thinking === '' ? [] : [[thinking, sealOpaque({ field })] as const]),
    ...(rest === undefined ? [] : [['', rest] as const]),
  ]
  return {
    ...beginResponse(request, model),
    status,
    incomplete_details,
    output: [
      ...thoughts.map(([text, sealed]) => reasoningItem(newId(idPrefixes.reasoning), text, sealed)),
      ...(parts.length === 0 ? [] : [messageItem(newId(idPrefixes.message), parts, status)]),
      ...calls.map((call) => {
        const { name, json } = functionOf(call)
        const tool = calledTool(tools, name)
        return callItem({ id: callId(tool), callId: String(call.id), tool, json }, status)
      }),
    ],
    usage: writeResponsesUsage(usage),
  }
}
