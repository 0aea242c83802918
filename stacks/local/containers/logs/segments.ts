import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = (dir: string) => join(dir, 'logs')

/** Returns the path of a log file. A task's log is a series of files, numbered from 0; the oldest are removed over time. */
export function segmentPath(dir: string, taskId: string, segment: number): string {
  return join(folder(dir), `${taskId}.${segment}.log`)
}

/** Returns the numbers of a task's current log files, ascending; empty if the name is not a task id. */
export function segmentsOf(dir: string, taskId: string): number[] {
  if (!/^[0-9a-f]{32}$/.test(taskId)) return []
  // Most logs never fill their first file, and listing the folder would read the names of all tasks' files.
  if (existsSync(segmentPath(dir, taskId, 0)))
    return existsSync(segmentPath(dir, taskId, 1)) ? [0, 1] : [0]
  return namesIn(folder(dir))
    .filter((name) => name.startsWith(`${taskId}.`))
    .map((name) => Number(name.split('.')[1]))
    .sort((a, b) => a - b)
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
