import { join } from 'node:path'

/** A task's log files, the newer first. */
export function logPaths(dir: string, taskId: string): [current: string, previous: string] {
  const current = join(dir, 'logs', `${taskId}.log`)
  return [current, `${current}.1`]
}
