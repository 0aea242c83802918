import * as z from 'zod'
import { webhookUrl } from '#shared/agents/record/config/values.ts'

const promptTemplate = z
  .string({ error: 'promptTemplate required' })
  .trim()
  .min(1, 'promptTemplate required')
  .max(8000, 'promptTemplate must have at most 8000 characters')
  .describe('The message to the agent. `{{body.a.b}}` is replaced by a field of the JSON body')

export const newWebhookChannel = z
  .object({
    kind: z.literal('webhook'),
    promptTemplate,
    answerUrl: webhookUrl.optional().describe('Receives the answers, signed by the same secret'),
  })
  .meta({ id: 'NewWebhookChannel' })

export const webhookChange = z
  .object({
    promptTemplate: promptTemplate.optional(),
    answerUrl: webhookUrl.optional(),
    rotateSecret: z
      .boolean()
      .optional()
      .describe('True makes a new secret, which the response contains once'),
  })
  .meta({ id: 'WebhookChannelChange' })
