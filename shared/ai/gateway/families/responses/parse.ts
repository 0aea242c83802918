import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { isObject } from '../../answers/form.ts'
import { defaultAnswerTokens } from '../../completions/limit.ts'
import {
  ignoredFieldsOf,
  invalid,
  maxAnswerTokens,
  parseRequest,
  refuseFields,
  requireReadable,
  serviceTier,
} from '../../parse.ts'
import { refusedFields as refusedForChat } from '../../request-fields.ts'
import { inputItem, type Item } from './items.ts'
import { clientTool } from './tools.ts'

/** Fields that need stored responses, or whose cost is not known before the call, with the reason for the refusal. */
const refusedFields = {
  ...refusedForChat,
  store: 'responses are not stored; send store: false, and the whole conversation as input',
  previous_response_id: 'responses are not stored; send the whole conversation as input',
  conversation: 'conversations are not stored; send the whole conversation as input',
  background: 'responses are not stored, so they cannot be created in the background',
  prompt: 'prompts are not stored; send instructions and input',
  fallbacks: refusedForChat.models,
  context_management:
    'the tokens of summaries that a provider writes are not counted; summarize in the client',
  moderation: 'moderations have a price of their own; use /v1/moderations',
} as const

const responsesRequest = once(() =>
  z.object({
    model: z.string().min(1).max(200),
    input: z.union([
      z.string(),
      z.array(inputItem()).min(1, { error: 'input must be a string or a non-empty array' }),
    ]),
    instructions: z.string().nullish(),
    stream: z.boolean().nullish(),
    store: z.boolean().nullish(),
    max_output_tokens: z.number().int().min(1).max(maxAnswerTokens).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_logprobs: z.number().int().min(0).max(20).nullish(),
    tools: z.array(clientTool()).max(256).nullish(),
    tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    reasoning: z.looseObject({ effort: z.string().max(20).nullish() }).nullish(),
    text: z
      .looseObject({
        format: z
          .looseObject({
            type: z.enum(['text', 'json_object', 'json_schema'], {
              error: 'type must be text, json_object or json_schema',
            }),
          })
          .nullish(),
      })
      .nullish(),
    truncation: z.enum(['auto', 'disabled']).nullish(),
    include: z.array(z.string()).nullish(),
    metadata: z.looseObject({}).nullish(),
    client_metadata: z.looseObject({}).nullish(),
    prompt_cache_key: z.string().nullish(),
    prompt_cache_options: z.looseObject({}).nullish(),
    prompt_cache_retention: z.string().nullish(),
    safety_identifier: z.string().nullish(),
    stream_options: z.looseObject({}).nullish(),
    user: z.string().max(256).nullish(),
    service_tier: serviceTier(),
  }),
)

/**
 * OpenAI's request, as in its client 7.55.0: https://platform.openai.com/docs/api-reference/responses/create. Only the
 * fields in this schema are sent to a provider. Other fields could add uncounted cost, so they are ignored, and the
 * response names them.
 */
export const documentedResponsesRequest = responsesRequest

export type ResponsesRequest = z.output<ReturnType<typeof responsesRequest>>

/** Returns the names of the fields that are not sent to a provider and are not refused. */
export const ignoredResponsesFields = ignoredFieldsOf(() => [
  ...Object.keys(responsesRequest().shape),
  ...Object.keys(refusedFields),
])

/** @throws PlatformError 400 with the first field that is invalid, needs stored responses or adds uncounted cost */
export function parseResponsesRequest(body: Readonly<Record<string, unknown>>): ResponsesRequest {
  refuseFields(body, refusedFields)
  const request = parseRequest(responsesRequest(), withTypes(body))
  requireReadable(request, request.max_output_tokens ?? defaultAnswerTokens)
  if (typeof request.input !== 'string') requireCalls(request.input)
  return request
}

/** Returns the request with the type of each message, which clients may leave out. */
function withTypes(body: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(body.input)) return body
  const input = body.input.map((item: unknown) =>
    isObject(item) && item.type === undefined && item.role !== undefined
      ? { ...item, type: 'message' }
      : item,
  )
  return { ...body, input }
}

/** Every output of a tool has its call before it. @throws PlatformError 400 */
function requireCalls(input: readonly Item[]): void {
  const called = new Set<unknown>()
  for (const [i, item] of input.entries()) {
    if (item.type.endsWith('_call')) called.add(item['call_id'])
    if (!item.type.endsWith('_output') || item['call_id'] === null) continue
    const place = `input.${i}.call_id`
    if (item['call_id'] !== undefined && !called.has(item['call_id']))
      throw invalid(place, `${place}: no call with this id is before its output`)
  }
}
