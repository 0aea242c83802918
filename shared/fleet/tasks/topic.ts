import * as z from 'zod'
import { topic } from '../../platform/queues/topic.ts'

/** An ECS task state change as EventBridge puts it into the queue: the one message that the platform does not send. */
export const taskEvent = () =>
  z.object({
    id: z.string(),
    'detail-type': z.literal('ECS Task State Change'),
    detail: z.record(z.string(), z.unknown()),
  })

export type TaskEvent = z.output<ReturnType<typeof taskEvent>>

export const taskEvents = topic<TaskEvent>('task-events')
