import * as z from 'zod'
import type { TaskTier } from '#shared/money/plans/model-sets.ts'
import { once } from '#shared/platform/once.ts'
import { defaultAnswerTokens } from '../../completions/limit.ts'
import { taskTypes, tierOf } from '../../models/tiers.ts'
import {
  ignoredFieldsOf,
  maxAnswerTokens,
  parseRequest,
  refuseFields,
  requireReadable,
  serviceTier,
} from '../../parse.ts'
import { passedFields, refusedFields } from '../../request-fields.ts'
import { isEmptyList, plainMessage, withImageObjects } from './messages.ts'

const noMessages = 'messages must be a non-empty array'

/** Types of parts with a model's reasoning, which is sent back unchanged. */
const thoughts = ['thinking', 'redacted_thinking', 'reasoning'] as const

/** `function` is the older name of `tool`. */
const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

/** The fields of OpenAI's chat completion request that have a form or a limit here. Null means absent. */
const chatRequest = once(() => {
  // The price of other types, such as video, is unknown before the call.
  const part = z.discriminatedUnion(
    'type',
    [
      z.looseObject({ type: z.literal('text'), text: z.string() }),
      z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
      z.looseObject({
        type: z.literal('image_url'),
        image_url: z.looseObject({
          url: z.string().min(1),
          detail: z
            .enum(['auto', 'low', 'high'], { error: 'detail must be auto, low or high' })
            .nullish(),
        }),
      }),
      z.looseObject({
        type: z.literal('input_audio'),
        input_audio: z.looseObject({ data: z.string().min(1) }),
      }),
      z.looseObject({ type: z.literal('file'), file: z.looseObject({}) }),
      z.looseObject({ type: z.enum(thoughts) }),
    ],
    { error: 'type must be text, refusal, image_url, input_audio or file' },
  )
  const text = z.string().nullish()
  const message = z
    // A provider may require any field of its answers back: signatures, encrypted reasoning.
    .looseObject({
      role: z.enum(roles, { error: `role must be one of ${roles.join(', ')}` }),
      content: z.union([z.string(), z.array(part)]).nullish(),
      name: text,
      tool_calls: z.array(z.looseObject({})).nullish(),
      tool_call_id: text,
      refusal: text,
      cache_control: z.looseObject({}).nullish(),
      audio: z
        .null({ error: 'audio: answers are text, so earlier audio cannot be referenced' })
        .optional(),
    })
    .refine(({ role, content }) => role === 'assistant' || !isEmptyList(content), {
      path: ['content'],
      error: 'content must not be empty',
    })
  // Providers bill their own tools, such as web search, separately from tokens.
  const tool = z.looseObject({
    type: z.enum(['function', 'custom'], { error: 'type must be function or custom' }),
  })
  const answerTokens = z.number().int().min(1).max(maxAnswerTokens)
  return z.object({
    messages: z.array(message, { error: noMessages }).min(1, { error: noMessages }),
    model: z
      .string()
      .min(1)
      .max(200)
      .nullish()
      .describe('The id of a model; `auto` or absent selects one'),
    stream: z.boolean().nullish(),
    stream_options: z
      .object({
        include_usage: z.boolean().nullish().describe('True if the last chunk contains the usage'),
      })
      .nullish(),
    max_tokens: answerTokens.nullish(),
    max_completion_tokens: answerTokens.nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    n: z.number().int().min(1).max(16).nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(16)]).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    seed: z.number().int().nullish(),
    logit_bias: z.record(z.string(), z.number()).nullish(),
    logprobs: z.boolean().nullish(),
    top_logprobs: z.number().int().min(0).max(20).nullish(),
    response_format: z.looseObject({ type: z.string() }).nullish(),
    reasoning_effort: z.string().max(20).nullish(),
    tools: z.array(tool).max(256).nullish(),
    tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    user: z.string().max(256).nullish(),
    modalities: z
      .array(z.literal('text', { error: 'modalities: answers can only be text' }))
      .nullish(),
    service_tier: serviceTier(),
  })
})

/**
 * OpenAI's chat completion request. Only the fields in this schema are sent to a provider. Null means absent. Fields
 * that bypass the plan's models or add uncounted cost are refused. Other fields could add such cost too, so they are
 * ignored, and the response names them.
 */
export const documentedChatRequest = once(() =>
  chatRequest().extend({ ...passedOn(), ...refused() }),
)

function passedOn() {
  const field = z.unknown().optional().describe('Passed to the provider unchanged')
  const fields = passedFields.map((name) => [name, field] as const)
  return Object.fromEntries(fields) as Record<(typeof passedFields)[number], typeof field>
}

const refusedNames = Object.keys(refusedFields) as (keyof typeof refusedFields)[]

function refused() {
  const field = z.unknown().optional()
  const fields = refusedNames.map(
    (name) => [name, field.describe(`Refused: ${refusedFields[name]}`)] as const,
  )
  return Object.fromEntries(fields) as Record<(typeof refusedNames)[number], typeof field>
}

export type CompletionRequest = z.output<ReturnType<typeof chatRequest>> &
  Partial<Record<(typeof passedFields)[number], unknown>>

/** The chat request of spec.md: the same messages without tool messages, and a model or a task type. */
export const taskRequest = once(() => {
  const request = chatRequest()
  const message = request.shape.messages.element
    .safeExtend({
      role: z.enum(['user', 'assistant', 'system'], {
        error: 'role must be user, assistant or system',
      }),
    })
    .refine(({ content, tool_calls }) => (content ?? tool_calls ?? undefined) !== undefined, {
      path: ['content'],
      error: 'content is required',
    })
  return request
    .pick({
      model: true,
      stream: true,
      max_tokens: true,
      temperature: true,
      top_p: true,
      tools: true,
      tool_choice: true,
    })
    .extend({
      messages: z.array(message, { error: noMessages }).min(1, { error: noMessages }),
      taskType: z
        .enum(taskTypes, { error: `taskType must be one of ${taskTypes.join(', ')}` })
        .nullish()
        .describe('Selects the model if `model` is absent'),
    })
})

/** @throws PlatformError 400 with the first field that is invalid or adds uncounted cost */
export function parseChatRequest(body: Readonly<Record<string, unknown>>): CompletionRequest {
  const { modalities: _, ...request } = parseRequest(chatRequest(), withImageObjects(body))
  refuseFields(body, refusedFields)
  requireReadable(request, (limitOf(request) ?? defaultAnswerTokens) * (request.n ?? 1))
  const passed: Partial<Record<(typeof passedFields)[number], unknown>> = {}
  for (const name of passedFields) if (body[name] !== undefined) passed[name] = body[name]
  return withoutEmptyTools({
    ...request,
    ...passed,
    messages: request.messages.map(plainMessage),
  })
}

/** The smaller one of two limits. */
export function limitOf({
  max_completion_tokens,
  max_tokens,
}: Pick<CompletionRequest, 'max_completion_tokens' | 'max_tokens'>): number | undefined {
  const limits = [max_completion_tokens, max_tokens].filter((limit) => typeof limit === 'number')
  return limits.length === 0 ? undefined : Math.min(...limits)
}

/** Clients send an empty list for no tools. OpenAI and other providers refuse it, and options of tools without tools. */
function withoutEmptyTools(request: CompletionRequest): CompletionRequest {
  const { tools, tool_choice, parallel_tool_calls: _, ...rest } = request
  if (!isEmptyList(tools)) return request
  const isFree = tool_choice === 'auto' || tool_choice === 'none'
  return isFree ? rest : { ...rest, tool_choice }
}

/** Returns the names of the fields that are not sent to a provider and are not refused. */
export const ignoredFields = ignoredFieldsOf(() => [
  ...Object.keys(chatRequest().shape),
  ...passedFields,
  ...refusedNames,
])

/** @throws PlatformError 400 that names the first invalid field */
export function parseTaskRequest(body: unknown): { request: CompletionRequest; tier: TaskTier } {
  const { taskType, messages, ...request } = parseRequest(taskRequest(), body)
  return {
    request: { ...request, messages: messages.map(plainMessage) },
    tier: tierOf(taskType ?? 'general'),
  }
}
