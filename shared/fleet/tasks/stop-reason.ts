import type { TaskStop } from '../../platform/containers/port.ts'
import type { Agent } from '../../agents/agent.ts'

/** Why an agent stopped that a person stopped, in ECS's word for what was asked for. @param reason in their words */
export function stoppedByPerson(now: number, reason: string | null): TaskStop {
  const at = new Date(now).toISOString()
  const text = reason === null ? 'Stopped by a person' : `Stopped by a person: ${reason}`
  return { code: 'UserInitiated', exitCode: null, text, at }
}

/** Why an agent is not there yet whose start found no room. */
export function noCapacity(why: string, now: number): TaskStop {
  const text = `There is no room for it yet: ${why}`
  return { code: 'NoCapacity', exitCode: null, text, at: new Date(now).toISOString() }
}

/**
 * Why an agent stopped whose task has ended. Where the platform ended it, the platform knows why, and the task only
 * how.
 */
export function reasonOf({ desired, stopReason }: Agent, ended: TaskStop): TaskStop {
  if (desired === 'running' || stopReason === undefined) return ended
  return { ...stopReason, exitCode: ended.exitCode ?? stopReason.exitCode }
}
