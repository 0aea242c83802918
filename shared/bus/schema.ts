import * as z from 'zod'
import { countOf } from '../platform/fields.ts'

/** contract.md 9, Bus. */
const longestPage = 100

export const messageAccepted = z.object({ success: z.literal(true), messageId: z.string() })

export const messageSignature = z.object({
  signature: z.string(),
  address: z.string().describe('Of the wallet, with its checksum'),
})

export const inboxQuery = z.object({
  agentId: z.string().optional().describe('May be left out by an agent, which has but its own'),
  limit: countOf('limit', 50, longestPage),
  after: z.string().max(128).optional().describe('The messageId behind which to go on'),
})

const inboxMessage = z
  .object({
    message: z.unknown().meta({ type: 'object' }).describe('As it was received'),
    receivedAt: z.string(),
  })
  .meta({ id: 'InboxMessage' })

export const inboxAnswer = z.object({ messages: z.array(inboxMessage), count: z.number() })
