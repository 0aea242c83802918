import type { Agent } from '#shared/agents/record/agent.ts'
import type { TaskStop } from '#shared/platform/containers/port.ts'
import { isoOf } from '#shared/platform/times.ts'

/**
 * Returns the stop reason for a stop by a person, with ECS's code.
 * @param reason the person's own words
 */
export function stoppedByPerson(now: number, reason: string | null): TaskStop {
  const at = isoOf(now)
  const text = reason === null ? 'Stopped by a person' : `Stopped by a person: ${reason}`
  return { code: 'UserInitiated', exitCode: null, text, at }
}

/** Returns the stop reason of an agent whose start found no capacity. */
export function noCapacity(why: string, now: number): TaskStop {
  const text = `Waiting for capacity: ${why}`
  return { code: 'NoCapacity', exitCode: null, text, at: isoOf(now) }
}

/**
 * Returns the stop reason of an agent whose task has ended. If the platform ended the task, its own reason is more
 * precise.
 */
export function reasonOf({ desired, stopReason }: Agent, ended: TaskStop): TaskStop {
  if (desired === 'running' || stopReason === undefined) return ended
  return { ...stopReason, exitCode: ended.exitCode ?? stopReason.exitCode }
}
