import * as z from 'zod'
import { type MessageOf, topic } from '../../platform/queues/topic.ts'

/** What the checks queue carries. */
export const checks = topic('checks', () => z.object({ agents: z.array(check()).min(1).max(100) }))

/** Asks for an agent's next step, or for a regular look at one that is well. */
function check() {
  return z.object({
    userId: z.string().nullable(),
    agentId: z.string(),
    /**
     * The step that is meant: one that is no longer the row's is a repeat, or too late. Null for whatever is overdue, was
     * missed or was not sent.
     */
    dueAt: z.number().nullable(),
    /** Of a regular look: the time that it is for, in epoch milliseconds. */
    look: z.number().optional(),
  })
}

export type Check = MessageOf<typeof checks>['agents'][number]
