import type { TaskStop } from '../../platform/containers/port.ts'
import type { Agent } from '../../agents/agent.ts'

/** Why an agent stopped that a person stopped, in ECS's word for what was asked for. */
export function stoppedByPerson(now: number): TaskStop {
  const at = new Date(now).toISOString()
  return { code: 'UserInitiated', exitCode: null, text: 'Stopped by a person', at }
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

/** Exit codes that mean the same in every container: 128 and the number of the signal that ended it. */
const exitWords: Readonly<Record<number, string>> = {
  126: 'its command cannot be run',
  127: 'its command was not found',
  134: 'it aborted',
  137: 'it was killed, perhaps because it hung or for want of memory',
  139: 'it crashed in native code',
  143: 'it was told to end',
}

/** An end in words that a person can act on. */
export function causeOf({ code, exitCode, text }: TaskStop): string {
  if (/OutOfMemory/i.test(text)) return 'it ran out of memory'
  if (/CannotPull/i.test(text)) return `its image cannot be fetched: ${text}`
  if (exitCode === null) return text === '' ? `it ended without a reason (${code})` : text
  const words = exitWords[exitCode]
  return words === undefined
    ? `it exited with code ${exitCode}`
    : `${words} (exit code ${exitCode})`
}
