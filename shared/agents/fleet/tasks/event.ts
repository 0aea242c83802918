import type { Task } from '#shared/platform/containers/port.ts'
import { ecsTask } from '#shared/platform/containers/task.ts'
import type { TaskEvent } from './topic.ts'

/**
 * Returns the task of an event.
 * @throws ZodError
 */
export function taskOf(event: TaskEvent): Task {
  return ecsTask.parse(event.detail)
}
