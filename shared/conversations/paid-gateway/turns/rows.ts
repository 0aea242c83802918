import * as z from 'zod'
import { chatAnswer } from '#shared/conversations/chat/schema.ts'
import { entity } from '#shared/platform/table/entity.ts'

/** A payer's message to an agent, and its result. Expires after an hour. */
export const turnRows = entity({
  name: 'turn with an agent for a payer',
  pk: 'paid-turn#{turnId}',
  sk: 'turn',
  schema: () =>
    z.object({
      agentId: z.string(),
      userId: z.string(),
      message: z.string(),
      /** The amount that the owner earns before the cost of tokens, in millionths of a US dollar. */
      earnsMicroUsd: z.number().optional(),
      /** Epoch milliseconds after which the payer no longer waits. */
      until: z.number(),
      state: z.enum(['asked', 'started', 'answered', 'failed']),
      answer: chatAnswer().optional(),
      /** The id of the agent owner's turn. Absent before the turn begins. */
      turn: z.string().optional(),
      failure: z.string().optional(),
      expiresAt: z.number(),
    }),
})
