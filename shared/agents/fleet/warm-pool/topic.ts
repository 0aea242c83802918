import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** An agent that was assigned a warm container, which must be notified. */
export const handOvers = topic('hand-overs', () =>
  z.object({
    userId: z.string().nullable(),
    agentId: z.string(),
    generation: z.number().int(),
  }),
)

export type HandOver = MessageOf<typeof handOvers>
