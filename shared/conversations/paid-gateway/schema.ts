import * as z from 'zod'
import { requiredText } from '#shared/platform/fields.ts'
import { chatAnswer, tokenUsage } from '../chat/schema.ts'

/** The plugins that can be paid for: contract.md 10. */
const plugins = ['agent', 'generate-text'] as const

/** The maximum number of characters of all messages together, because the price includes the tokens. */
const longestPrompt = 32_000

const tooLong = `a prompt must have at most ${longestPrompt} characters`

const message = z.object({
  role: z.enum(['system', 'user', 'assistant'], {
    error: 'role must be system, user or assistant',
  }),
  content: requiredText('content', longestPrompt),
})

const generateText = z
  .object({
    plugin: z.literal('generate-text'),
    prompt: requiredText('prompt', longestPrompt).optional(),
    messages: z
      .array(message)
      .min(1, 'messages must be a non-empty array')
      .max(200)
      .refine((all) => all.reduce((sum, { content }) => sum + content.length, 0) <= longestPrompt, {
        error: tooLong,
      })
      .optional()
      .describe('Alternative to prompt'),
    model: z.string().min(1).max(200).optional().describe('A model of the label plan'),
    max_tokens: z.number().int().min(1).max(1024).default(1024),
  })
  .refine(({ prompt, messages }) => (prompt === undefined) !== (messages === undefined), {
    error: 'prompt or messages required, and not both',
  })

const agent = z.object({
  plugin: z.literal('agent'),
  agentId: z.string({ error: 'agentId required' }).min(1, 'agentId required').max(64),
  message: requiredText('message', longestPrompt),
})

const known = z.looseObject({ plugin: z.enum(plugins) })

/** An unknown plugin is reported before other errors of the body, with its own code. */
export const gatewayRequest = z
  .preprocess(
    (body, ctx) => {
      if (!known.safeParse(body).success)
        ctx.addIssue({
          code: 'custom',
          path: ['plugin'],
          message: `plugin must be one of ${plugins.join(', ')}`,
          params: { code: 'unknown_plugin' },
        })
      return body
    },
    z.discriminatedUnion('plugin', [generateText, agent]),
  )
  .meta({ id: 'GatewayRequest' })

export type GatewayRequest = z.output<typeof gatewayRequest>
export type GenerateText = z.output<typeof generateText>
export type AskAgent = z.output<typeof agent>

const textAnswer = z
  .object({
    plugin: z.literal('generate-text'),
    id: z.string(),
    model: z.string().describe('The model that served the request'),
    text: z.string(),
    usage: tokenUsage(),
  })
  .meta({ id: 'GatewayTextAnswer' })

const agentAnswer = chatAnswer()
  .omit({ message: true })
  .extend({ plugin: z.literal('agent') })
  .meta({ id: 'GatewayAgentAnswer' })

export const gatewayAnswer = z.discriminatedUnion('plugin', [textAnswer, agentAnswer])

export type GatewayAnswer = z.output<typeof gatewayAnswer>
