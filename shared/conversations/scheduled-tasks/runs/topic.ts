import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** A due run. */
export const taskRuns = topic('task-runs', () =>
  z.object({
    userId: z.string(),
    taskId: z.string(),
    /** The due time in ISO 8601. */
    due: z.string(),
  }),
)

export type RunRef = MessageOf<typeof taskRuns>
