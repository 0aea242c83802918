import * as z from 'zod'
import { modelDescription } from '../gateway/models/schema.ts'

/** Longer messages are truncated: contract.md 5. */
const maxCharacters = 4000

/**
 * The maximum number of earlier messages; the newest are used. Anyone may call, and the platform pays for every token.
 */
const maxEarlier = 20

/** The maximum number of characters of a prompt. */
const maxInAll = 16_000

const message = z.string({ error: 'Message required' }).trim().min(1, 'Message required')

const entry = z.object({ role: z.string(), content: z.string() })

/** The body of a demo call: spec.md, POST /api/demo/chat. */
export const demoRequest = z
  .object({
    message: message.describe(`Truncated to ${maxCharacters} characters`),
    model: z
      .string({ error: 'model must be one of the models that GET /api/demo/chat lists' })
      .optional()
      .describe('The id of a listed model; default: the first'),
    mode: z.string().max(100).optional().describe('Ignored'),
    conversation: z
      .array(entry)
      .default([])
      .describe(
        `Earlier messages: only the newest ${maxEarlier} messages of the role user are used, ` +
          `each truncated to ${maxCharacters} characters. Together with the message they can have ${maxInAll} ` +
          `characters: the oldest are omitted first`,
      ),
  })
  .meta({ id: 'DemoRequest' })

export type DemoRequest = z.output<typeof demoRequest>

export const demoAnswer = z
  .object({
    id: z.string(),
    model: z.string().describe('The model that served the request'),
    message: z.string(),
    usage: z.object({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      total_tokens: z.number(),
    }),
    done: z.literal(true),
  })
  .meta({ id: 'DemoAnswer' })

export type DemoAnswer = z.output<typeof demoAnswer>

/** A model that is available without an account. */
export const demoModel = z
  .object({ id: z.string(), name: z.string(), provider: z.string() })
  .meta({ id: 'DemoModel' })

/** The description of a model in GET /api/models without an account. */
export const offeredModel = modelDescription
  .pick({
    id: true,
    name: true,
    provider: true,
    contextWindow: true,
    inputCost: true,
    outputCost: true,
  })
  .meta({ id: 'Model' })

/** Returns the messages for the model: only messages of the role user. */
export function messagesOf({ conversation, message: last }: DemoRequest) {
  const earlier = conversation.filter(({ role }) => role === 'user').slice(-maxEarlier)
  const texts = [...earlier.map(({ content }) => content), last].map(cut)
  let remaining = maxInAll
  const from = texts.findLastIndex((text) => (remaining -= Array.from(text).length) < 0) + 1
  return texts.slice(from).map((content) => ({ role: 'user' as const, content }))
}

/** Truncates a text without splitting a surrogate pair. */
function cut(text: string): string {
  return Array.from(text.slice(0, 2 * maxCharacters))
    .slice(0, maxCharacters)
    .join('')
}
