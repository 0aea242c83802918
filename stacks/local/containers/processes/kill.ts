import { readdirSync } from 'node:fs'
import { readIfThere } from './identify.ts'

/** The variable that marks every process of a task. Child processes inherit it. */
export const taskVariable = 'ECS_TASK_ARN'

/** Sends a signal to a process group. Ignores a group that no longer exists. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalIfThere(-leader, signal)
}

/**
 * Kills every process with the mark of one of the tasks, including those that left the task's process group. Only Linux
 * shows the environment of processes; elsewhere only the group is killed.
 * @returns the number of processes
 */
export function killMarked(taskIds: ReadonlySet<string>): number {
  if (process.platform !== 'linux') return 0
  const marked = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => taskIds.has(markOf(pid) ?? ''))
  for (const pid of marked) signalIfThere(Number(pid), 'SIGKILL')
  return marked.length
}

/** Returns the id of the task that a process belongs to. */
function markOf(pid: string): string | undefined {
  const environment = readIfThere(`/proc/${pid}/environ`)
  const mark = environment?.split('\0').find((entry) => entry.startsWith(`${taskVariable}=`))
  return mark?.slice(mark.lastIndexOf('/') + 1)
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
