import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** The messages of the checks queue. */
export const checks = topic('checks', () => z.object({ agents: z.array(check()).min(1).max(100) }))

/** A request for an agent's next step, or for a regular check of a healthy agent. */
function check() {
  return z.object({
    userId: z.string().nullable(),
    agentId: z.string(),
    /**
     * The step's due time. If the row has another due time, the message is a repeat or too late. Null for a check of
     * overdue steps, missed events and unsent messages.
     */
    dueAt: z.number().nullable(),
    /** The time of a regular check, in epoch milliseconds. */
    look: z.number().optional(),
  })
}

export type Check = MessageOf<typeof checks>['agents'][number]
