import * as z from 'zod'
import { type MessageOf, topic } from '../../platform/queues/topic.ts'

/** Questions about tasks. Those of one message are asked of ECS in one request. */
export const taskStates = topic('task-states', () =>
  z.object({ tasks: z.array(question()).min(1).max(tasksPerMessage) }),
)

/** The most tasks of one DescribeTasks request. */
export const tasksPerMessage = 100

/** Asks for the state of one task. */
function question() {
  return z.object({
    userId: z.string().nullable(),
    agentId: z.string(),
    taskArn: z.string(),
    /** Which question of the watchdog's it is: noted in the agent's row where the task is there. */
    askedAt: z.number().optional(),
  })
}

export type TaskQuestion = MessageOf<typeof taskStates>['tasks'][number]
