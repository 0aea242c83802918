import type { Task } from '#shared/platform/containers/port.ts'
import type { Agent } from '../agent.ts'
import { imageVersion } from '../names.ts'

/** Records the image of a task that has run: ECS sets `startedAt` when its containers run, and keeps it to the end. */
export function withLastImage(agent: Agent, task: Task): Agent {
  return task.startedAt === undefined ? agent : { ...agent, ranImage: agent.image }
}

/** Returns the image that an agent runs or ran last. Null before its first container ran. */
export function lastImage({ ranImage, healthyImage, status, image }: Agent): string | null {
  // Rows of earlier releases have no image of the last container.
  return ranImage ?? healthyImage ?? (status === 'running' ? image : null)
}

/** Returns the version of that image. Null if it has none. */
export function runtimeVersion(agent: Agent): string | null {
  const image = lastImage(agent)
  return image === null ? null : imageVersion(image)
}
