import * as z from 'zod'
import type { Task } from '../../platform/containers/port.ts'
import { ecsTask } from '../../platform/containers/task.ts'

/** An ECS task state change as EventBridge puts it into the queue. */
export const taskEvent = z.object({
  id: z.string(),
  'detail-type': z.literal('ECS Task State Change'),
  detail: z.record(z.string(), z.unknown()),
})

export type TaskEvent = z.input<typeof taskEvent>

/** The task that an event tells of. @throws ZodError */
export function taskOf(event: TaskEvent): Task {
  return ecsTask.parse(taskEvent.parse(event).detail)
}
