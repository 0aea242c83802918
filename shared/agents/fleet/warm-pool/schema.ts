import * as z from 'zod'
import { nonceSchema } from '../bootstrap/schema.ts'

export const warmQuestion = z.object({ warmId: z.string().max(64), nonce: nonceSchema() })

export const warmAnswer = z.object({
  start: z
    .object({
      agentId: z.string(),
      generation: z.number(),
      token: z.string().describe('A token that fetches the agent’s start environment once'),
    })
    .nullable()
    .describe('Null while no agent is assigned'),
})
