import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/** Requests for the states of tasks. All tasks of one message are read with one ECS call. */
export const taskStates = topic('task-states', () =>
  z.object({ tasks: z.array(question()).min(1).max(tasksPerMessage) }),
)

/** The maximum number of tasks of one DescribeTasks call. */
export const tasksPerMessage = 100

/** A request for the state of one task. */
function question() {
  return z.object({
    userId: z.string().nullable(),
    agentId: z.string(),
    taskArn: z.string(),
    /** The time of the watchdog's request, recorded in the agent's row if the task exists. */
    askedAt: z.number().optional(),
  })
}

export type TaskQuestion = MessageOf<typeof taskStates>['tasks'][number]
