import * as z from 'zod'
import { topic } from '../../platform/queues/topic.ts'

/** What a run is named by, from the tick that sends it on. */
export const runMessage = () =>
  z.object({
    userId: z.string(),
    taskId: z.string(),
    /** When it was due: ISO 8601. */
    due: z.string(),
  })

export type RunRef = z.output<ReturnType<typeof runMessage>>

export const taskRuns = topic<RunRef>('task-runs')
