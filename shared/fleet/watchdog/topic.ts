import * as z from 'zod'
import { type MessageOf, topic } from '../../platform/queues/topic.ts'

/** What the checks queue carries. */
export const checks = topic('checks', () => z.object({ agents: z.array(check()).min(1).max(100) }))

/** Says that an agent's next step is due. One whose `dueAt` is no longer the row's is a repeat, or too late. */
function check() {
  return z.object({
    userId: z.string().nullable(),
    agentId: z.string(),
    dueAt: z.number().nullable(),
  })
}

export type CheckMessage = MessageOf<typeof checks>
export type Check = CheckMessage['agents'][number]
