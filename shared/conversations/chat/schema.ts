import * as z from 'zod'
import { countOf, cursorText, requiredText } from '#shared/platform/fields.ts'
import { once } from '#shared/platform/once.ts'

/** The maximum number of characters: well below the size of a row in any script. */
const longestMessage = 32_000

/** Larger values are reduced: contract.md, General rules. */
const longestPage = 100

const topicName = once(() => z.string().trim().min(1).max(100))

export const chatRequest = once(() =>
  z
    .object({
      message: requiredText('message', longestMessage),
      agentId: z.string().min(1).max(64).optional(),
      /** Selects a separate conversation with the same agent. */
      topic: topicName().optional(),
      stream: z.boolean().default(false),
    })
    .meta({ id: 'ChatRequest' }),
)

export type ChatRequest = z.output<ReturnType<typeof chatRequest>>

export const tokenUsage = once(() =>
  z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      total_tokens: z.number(),
    })
    .meta({ id: 'TokenUsage' }),
)

export type TokenUsage = z.output<ReturnType<typeof tokenUsage>>

/** contract.md 7, Chat. */
export const chatAnswer = once(() =>
  z
    .object({
      id: z.string(),
      agentId: z.string(),
      message: z.string(),
      reply: z.string(),
      model: z.string().nullable(),
      usage: tokenUsage().nullable(),
      timestamp: z.string(),
    })
    .meta({ id: 'ChatAnswer' }),
)

export type ChatAnswer = z.output<ReturnType<typeof chatAnswer>>

export const chatHistoryQuery = z.object({
  agentId: z.string().min(1).max(64).optional(),
  topic: topicName()
    .optional()
    .describe(
      'Only this conversation, with the model and tokens of its replies; `default` is the unnamed one',
    ),
  limit: countOf('limit', 50, longestPage),
  cursor: cursorText(),
})

export const pageQuery = once(() =>
  z.object({
    limit: countOf('limit', 50, longestPage),
    offset: countOf('offset', 0, 999_999_999),
  }),
)

export const chatMessage = once(() =>
  z
    .object({
      id: z.string(),
      agentId: z.string(),
      sender: z.enum(['user', 'agent']),
      content: z.string(),
      timestamp: z.string(),
      platform: z.string(),
      cancelled: z.literal(true).optional().describe('Present on a reply whose turn was cancelled'),
      reason: z
        .string()
        .nullable()
        .optional()
        .describe('The reason for the cancellation; null without a reason'),
      model: z
        .string()
        .nullable()
        .optional()
        .describe('Present on a reply if the request names a topic'),
      usage: tokenUsage()
        .nullable()
        .optional()
        .describe('Present on a reply if the request names a topic'),
    })
    .meta({ id: 'Message' }),
)

export type ChatMessage = z.output<ReturnType<typeof chatMessage>>

export const chatMessagePage = once(() =>
  z.object({
    messages: z.array(chatMessage()),
    total: z.number(),
    limit: z.number(),
    offset: z.number(),
    status: z.literal('ok'),
  }),
)

export const chatTopic = once(() =>
  z
    .object({ topic: z.string(), lastAt: z.string(), messages: z.number() })
    .meta({ id: 'ChatTopic' }),
)

export const topicsQuery = z.object({ agentId: z.string().min(1).max(64).optional() })

export const turnParams = z.object({ messageId: z.string() })
