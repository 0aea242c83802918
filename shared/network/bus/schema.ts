import * as z from 'zod'
import { countOf } from '#shared/platform/fields.ts'

/** contract.md 9, Bus. */
const longestPage = 100

export const messageAccepted = z.object({ success: z.literal(true), messageId: z.string() })

export const messageSignature = z.object({
  signature: z.string(),
  address: z.string().describe('The address of the wallet, with checksum (EIP-55)'),
})

export const inboxQuery = z.object({
  agentId: z.string().optional().describe('Not required with an agent’s own key'),
  limit: countOf('limit', 50, longestPage),
  after: z
    .string()
    .max(128)
    .optional()
    .describe('The messageId of the last message of the previous page'),
})

const inboxMessage = z
  .object({
    message: z.unknown().meta({ type: 'object' }).describe('The message as received'),
    receivedAt: z.string(),
  })
  .meta({ id: 'InboxMessage' })

export const inboxAnswer = z.object({ messages: z.array(inboxMessage), count: z.number() })
