import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import {
  ignoredFieldsOf,
  invalid,
  maxAnswerTokens,
  parseRequest,
  refuseFields,
} from '../../parse.ts'
import { refusedFields as refusedInChat } from '../../request-fields.ts'
import { isBase64 } from '../fields.ts'

/** The media types of images: https://platform.claude.com/docs/en/build-with-claude/vision (a copy read on 2026-11-27). */
const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

/** Fields whose cost is not known before the call, with the reason for the refusal. */
const refusedFields = {
  ...refusedInChat,
  fallbacks: refusedInChat.models,
  mcp_servers:
    'providers bill their own tools in addition to tokens; connect the server in the client',
  container: 'providers bill containers in addition to tokens',
  inference_geo: 'regions have prices of their own',
  speed: 'fast answers have a price of their own',
} as const

/** Tools that the client runs. Their versions differ by a date: https://platform.claude.com/docs/en/agents-and-tools */
const clientTool = /^(?:custom|(?:bash|computer|memory|text_editor)_\d{8})$/

const messagesRequest = once(() => {
  const text = z.looseObject({ type: z.literal('text'), text: z.string() })
  const data = z.string().refine(isBase64, 'data must be base64')
  const image = z.looseObject({
    type: z.literal('image'),
    source: z.discriminatedUnion(
      'type',
      [
        z.looseObject({
          type: z.literal('base64'),
          media_type: z.enum(imageTypes, {
            error: `media_type must be one of ${imageTypes.join(', ')}`,
          }),
          data,
        }),
        z.looseObject({ type: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
      ],
      { error: 'type must be base64 or url: files are not stored' },
    ),
  })
  const document = z.looseObject({
    type: z.literal('document'),
    title: z.string().nullish(),
    context: z.string().nullish(),
    source: z.discriminatedUnion(
      'type',
      [
        z.looseObject({
          type: z.literal('base64'),
          media_type: z.literal('application/pdf', { error: 'media_type must be application/pdf' }),
          data,
        }),
        z.looseObject({ type: z.literal('text'), data: z.string() }),
        z.looseObject({ type: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
        z.looseObject({
          type: z.literal('content'),
          content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]),
        }),
      ],
      { error: 'type must be base64, text, url or content: files are not stored' },
    ),
  })
  const searchResult = z.looseObject({
    type: z.literal('search_result'),
    source: z.string(),
    title: z.string(),
    content: z.array(text),
  })
  const toolResult = z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string().min(1),
    content: z
      .union([
        z.string(),
        z.array(
          z.discriminatedUnion(
            'type',
            [
              text,
              image,
              document,
              searchResult,
              z.looseObject({ type: z.literal('tool_reference'), tool_name: z.string() }),
            ],
            { error: 'type must be text, image, document, search_result or tool_reference' },
          ),
        ),
      ])
      .nullish(),
    is_error: z.boolean().nullish(),
  })
  const block = z.discriminatedUnion(
    'type',
    [
      text,
      image,
      document,
      searchResult,
      toolResult,
      z.looseObject({
        type: z.literal('tool_use'),
        id: z.string().min(1),
        name: z.string().min(1),
        input: z.looseObject({}),
      }),
      z.looseObject({
        type: z.literal('thinking'),
        thinking: z.string(),
        signature: z.string().nullish(),
      }),
      z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
    ],
    {
      error: ({ input }) =>
        `type ${JSON.stringify((input as { type?: unknown } | null)?.type ?? null)} is not supported: ` +
        'text, image, document, search_result, tool_use, tool_result, thinking and redacted_thinking are',
    },
  )
  const message = z.looseObject({
    role: z.enum(['user', 'assistant', 'system'], { error: 'role must be user or assistant' }),
    content: z.union([z.string(), z.array(block)]),
  })
  const tool = z.looseObject({
    type: z
      .string()
      .regex(
        clientTool,
        'type must be custom or a tool that the client runs: providers bill their own tools in addition to ' +
          'tokens; switch this tool off in the client',
      )
      .nullish(),
    name: z.string().min(1).max(128),
    description: z.string().nullish(),
    input_schema: z.looseObject({}).nullish(),
  })
  return z.object({
    model: z.string().min(1).max(200),
    max_tokens: z
      .number({ error: 'max_tokens is required, and must be a number' })
      .int()
      .min(1)
      .max(maxAnswerTokens),
    messages: z.array(message).min(1, { error: 'messages must be a non-empty array' }),
    system: z.union([z.string(), z.array(text)]).nullish(),
    stream: z.boolean().nullish(),
    stop_sequences: z.array(z.string()).max(16).nullish(),
    temperature: z.number().min(0).max(1).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    top_k: z.number().int().min(0).nullish(),
    metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
    tools: z.array(tool).max(256).nullish(),
    tool_choice: z
      .looseObject({
        type: z.enum(['auto', 'any', 'tool', 'none']),
        name: z.string().nullish(),
        disable_parallel_tool_use: z.boolean().nullish(),
      })
      .nullish(),
    thinking: z
      .looseObject({
        type: z.enum(['enabled', 'disabled', 'adaptive']),
        budget_tokens: z.number().int().min(0).nullish(),
      })
      .nullish(),
    output_config: z
      .looseObject({
        effort: z.string().max(20).nullish(),
        format: z.looseObject({ type: z.string() }).nullish(),
      })
      .nullish(),
    cache_control: z.looseObject({}).nullish(),
    context_management: z
      .looseObject({ edits: z.array(z.looseObject({ type: z.string() })).nullish() })
      .nullish(),
    service_tier: z
      .enum(['auto', 'standard_only'], {
        error: 'service_tier must be auto or standard_only: others have prices of their own',
      })
      .nullish(),
  })
})

/**
 * Anthropic's request, as in its client 0.120.0: https://platform.claude.com/docs/en/api/messages. Only the fields in
 * this schema are sent to a provider. Other fields could add uncounted cost, so they are ignored, and the response
 * names them.
 */
export const documentedMessagesRequest = messagesRequest

export type MessagesRequest = z.output<ReturnType<typeof messagesRequest>>

export type Block = Exclude<MessagesRequest['messages'][number]['content'], string>[number]

/** Returns the names of the fields that are not sent to a provider and are not refused. */
export const ignoredMessagesFields = ignoredFieldsOf(() => [
  ...Object.keys(messagesRequest().shape),
  ...Object.keys(refusedFields),
])

/** A request without `max_tokens`, whose tokens are only counted. */
export function parseCountRequest(body: Readonly<Record<string, unknown>>): MessagesRequest {
  return parseMessagesRequest({ ...body, max_tokens: 1 })
}

/** @throws PlatformError 400 with the first field that is invalid or adds uncounted cost */
export function parseMessagesRequest(body: Readonly<Record<string, unknown>>): MessagesRequest {
  const request = parseRequest(messagesRequest(), body)
  refuseFields(body, refusedFields)
  requireCalls(request)
  return request
}

/** Every tool result answers a tool call of the assistant's previous message. @throws PlatformError 400 */
function requireCalls({ messages }: MessagesRequest): void {
  let called = new Set<string>()
  for (const [i, { role, content }] of messages.entries()) {
    if (role === 'system') continue
    const blocks = typeof content === 'string' ? [] : content
    if (role === 'assistant')
      called = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])))
    else
      for (const [j, block] of blocks.entries())
        if (block.type === 'tool_result' && !called.has(block.tool_use_id)) {
          const place = `messages.${i}.content.${j}.tool_use_id`
          throw invalid(place, `${place}: the previous message has no tool_use block with this id`)
        }
  }
}
