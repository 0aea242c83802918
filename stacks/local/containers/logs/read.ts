import { rmSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { segmentPath, segmentsOf } from './segments.ts'

/** One line of a task's output. */
export interface LogLine {
  /** The time of arrival, ISO 8601. */
  at: string
  text: string
}

/** A position between two lines of a task's log: a byte offset in one of its files. */
export interface LogPosition {
  segment: number
  offset: number
}

export interface LogPart {
  lines: LogLine[]
  /** The position before the first line. */
  first: LogPosition
  /** The position after the last line. */
  next: LogPosition
}

const firstRead = 64 * 1024

/**
 * Returns the last `limit` lines of a task's output, or the last before a position, oldest first; undefined if the task has
 * no log.
 */
export async function readLast(
  dir: string,
  taskId: string,
  limit: number,
  before?: LogPosition,
): Promise<LogPart | undefined> {
  const all = segmentsOf(dir, taskId)
  const segments = before === undefined ? all : all.filter((number) => number <= before.segment)
  const last = segments.at(-1)
  if (last === undefined) return before && { lines: [], first: before, next: before }
  const upTo = before?.segment === last ? before.offset : undefined
  const newest = await readTail(segmentPath(dir, taskId, last), limit, upTo)
  const parts = [newest.lines]
  let first = { segment: last, offset: newest.start }
  let missing = limit - newest.lines.length
  for (const segment of segments.slice(0, -1).toReversed()) {
    if (missing === 0) break
    const { lines, start } = await readTail(segmentPath(dir, taskId, segment), missing)
    parts.unshift(lines)
    first = { segment, offset: start }
    missing -= lines.length
  }
  const next = { segment: last, offset: newest.end }
  return { lines: parts.flat().map(toLine), first, next }
}

/** Returns up to `most` of the output since a time. @param at epoch milliseconds */
export async function readSince(
  dir: string,
  taskId: string,
  at: number,
  most: { lines: number; bytes: number },
): Promise<LogPart | undefined> {
  let part = await readFrom(dir, taskId, undefined, most)
  while (part !== undefined) {
    const late = part.lines.findIndex((line) => Date.parse(line.at) >= at)
    if (late >= 0) return { ...part, lines: part.lines.slice(late) }
    if (part.lines.length === 0) return part
    part = await readFrom(dir, taskId, part.next, most)
  }
  return undefined
}

/**
 * Returns the output after a position, up to `most` lines and bytes. If the position is no longer stored, starts at the
 * oldest line; without a position, at the beginning.
 * @returns undefined if the task has no log
 */
export async function readFrom(
  dir: string,
  taskId: string,
  from: LogPosition | undefined,
  most: { lines: number; bytes: number },
): Promise<LogPart | undefined> {
  const segments = segmentsOf(dir, taskId)
  const [oldest] = segments
  if (oldest === undefined) return undefined
  let place = from ?? { segment: oldest, offset: 0 }
  if (place.segment < oldest) place = { segment: oldest, offset: 0 }
  // Checked before the read: a file that has a successor no longer grows.
  const isOver = segments.includes(place.segment + 1)
  const part = await readPart(segmentPath(dir, taskId, place.segment), place, most)
  if (part.lines.length > 0 || !isOver) return part
  return readFrom(dir, taskId, { segment: place.segment + 1, offset: 0 }, most)
}

/** Removes a task's log. */
export function removeLogs(dir: string, taskId: string): void {
  for (const segment of segmentsOf(dir, taskId))
    rmSync(segmentPath(dir, taskId, segment), { force: true })
}

function toLine(line: string): LogLine {
  const blank = line.indexOf(' ')
  return { at: line.slice(0, blank), text: line.slice(blank + 1) }
}

async function readPart(
  path: string,
  { segment, offset }: LogPosition,
  most: { lines: number; bytes: number },
): Promise<LogPart> {
  return withFile(
    path,
    { lines: [], first: { segment, offset }, next: { segment, offset } },
    async (file) => {
      const { size } = await file.stat()
      const length = Math.min(most.bytes, Math.max(0, size - offset))
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
      const lines: LogLine[] = []
      let start = 0
      while (lines.length < most.lines) {
        const end = buffer.subarray(0, bytesRead).indexOf(10, start)
        if (end < 0) break
        lines.push(toLine(buffer.toString('utf8', start, end)))
        start = end + 1
      }
      return { lines, first: { segment, offset }, next: { segment, offset: offset + start } }
    },
  )
}

/** Reads the last lines of a file, backwards from its end or from `upTo`, with their positions. */
async function readTail(
  path: string,
  limit: number,
  upTo = Infinity,
): Promise<{ lines: string[]; start: number; end: number }> {
  return withFile(path, { lines: [], start: 0, end: 0 }, async (file) => {
    const size = Math.min(upTo, (await file.stat()).size)
    for (let length = firstRead; ; length *= 4) {
      const start = Math.max(0, size - length)
      const buffer = Buffer.alloc(size - start)
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
      const end = buffer.subarray(0, bytesRead).lastIndexOf(10) + 1
      const lines = buffer.toString('utf8', 0, end).split('\n').slice(0, -1)
      // After a read from the middle of the file, the first line may be incomplete.
      const whole = start === 0 ? lines : lines.slice(1)
      if (start > 0 && whole.length < limit) continue
      const last = whole.slice(Math.max(0, whole.length - limit))
      const bytes = last.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
      return { lines: last, start: start + end - bytes, end: start + end }
    }
  })
}

/** Runs a read on a file. Returns `nothing` if the file is gone. */
async function withFile<T>(
  path: string,
  nothing: T,
  read: (file: FileHandle) => Promise<T>,
): Promise<T> {
  let file: FileHandle
  try {
    file = await open(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return nothing
    throw error
  }
  try {
    return await read(file)
  } finally {
    await file.close()
  }
}
