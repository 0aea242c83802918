import * as z from 'zod'
import { chatAnswer } from '../../chat/schema.ts'
import { entity } from '../../platform/table/entity.ts'

/** What a payer asks an agent, and what came of it; kept for an hour. */
export const turnRows = entity({
  name: 'turn with an agent for a payer',
  pk: 'paid-turn#{turnId}',
  sk: 'turn',
  schema: () =>
    z.object({
      agentId: z.string(),
      userId: z.string(),
      message: z.string(),
      /** Epoch milliseconds after which the payer does not wait any more. */
      until: z.number(),
      state: z.enum(['asked', 'started', 'answered', 'failed']),
      answer: chatAnswer.optional(),
      /** Names the turn of the agent’s owner; absent before it began. */
      turn: z.string().optional(),
      failure: z.string().optional(),
      expiresAt: z.number(),
    }),
})
