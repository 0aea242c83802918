import * as z from 'zod'
import { type MessageOf, topic } from '../../platform/queues/topic.ts'

/** Runs that are due, each by what it is named by. */
export const taskRuns = topic('task-runs', () =>
  z.object({
    userId: z.string(),
    taskId: z.string(),
    /** When it was due: ISO 8601. */
    due: z.string(),
  }),
)

export type RunRef = MessageOf<typeof taskRuns>
