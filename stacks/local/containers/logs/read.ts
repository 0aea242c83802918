import { rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { logPaths } from './paths.ts'

/** One line of a task's output. */
export interface LogLine {
  /** When it arrived, ISO 8601. */
  at: string
  text: string
}

const firstRead = 64 * 1024

/** The last `limit` lines of a task's output, oldest first; none for a task without a log. */
export async function readLogs(dir: string, taskId: string, limit: number): Promise<LogLine[]> {
  if (!/^[0-9a-f]{32}$/.test(taskId)) return []
  const [current, previous] = logPaths(dir, taskId)
  const newer = await readTail(current, limit)
  const older = newer.length < limit ? await readTail(previous, limit - newer.length) : []
  return [...older, ...newer].map((line) => {
    const blank = line.indexOf(' ')
    return { at: line.slice(0, blank), text: line.slice(blank + 1) }
  })
}

/** Removes a task's log. */
export function removeLogs(dir: string, taskId: string): void {
  for (const path of logPaths(dir, taskId)) rmSync(path, { force: true })
}

/** A file's last lines, read from its end; none when there is no such file. */
async function readTail(path: string, limit: number): Promise<string[]> {
  let file: FileHandle
  try {
    file = await open(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  try {
    const { size } = await file.stat()
    for (let length = firstRead; ; length *= 4) {
      const start = Math.max(0, size - length)
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(size - start),
        0,
        size - start,
        start,
      )
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n').slice(0, -1)
      // Read from the middle, the first line may be cut.
      const whole = start === 0 ? lines : lines.slice(1)
      if (start === 0 || whole.length >= limit)
        return whole.slice(Math.max(0, whole.length - limit))
    }
  } finally {
    await file.close()
  }
}
