import type { Task } from '../../platform/containers/port.ts'
import { ecsTask } from '../../platform/containers/task.ts'
import type { TaskEvent } from './topic.ts'

/**
 * Returns the task of an event.
 * @throws ZodError
 */
export function taskOf(event: TaskEvent): Task {
  return ecsTask.parse(event.detail)
}
