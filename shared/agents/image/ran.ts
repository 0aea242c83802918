import type { Agent } from '../agent.ts'
import type { Task } from '../../platform/containers/port.ts'
import { imageVersion } from '../names.ts'

/** The agent as one whose task was seen: ECS notes `startedAt` once its containers run, and keeps it to the end. */
export function withRan(agent: Agent, task: Task): Agent {
  return task.startedAt === undefined ? agent : { ...agent, ranImage: agent.image }
}

/** The image that an agent runs, or ran last; null before one of its containers ran. */
export function ranImage({ ranImage, healthyImage, status, image }: Agent): string | null {
  // Rows from before `ranImage` was noted.
  return ranImage ?? healthyImage ?? (status === 'running' ? image : null)
}

/** The version of that image; null where it has none. */
export function runtimeVersion(agent: Agent): string | null {
  const image = ranImage(agent)
  return image === null ? null : imageVersion(image)
}
