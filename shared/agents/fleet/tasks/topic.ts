import * as z from 'zod'
import { type MessageOf, topic } from '#shared/platform/queues/topic.ts'

/**
 * An ECS task state change, as EventBridge sends it to the queue. This is the only message that the platform does not
 * send.
 */
export const taskEvents = topic('task-events', () =>
  z.object({
    id: z.string(),
    'detail-type': z.literal('ECS Task State Change'),
    detail: z.record(z.string(), z.unknown()),
  }),
)

export type TaskEvent = MessageOf<typeof taskEvents>
