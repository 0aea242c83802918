import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { dateFile, ifExists, syncFolder } from './files.ts'

const newline = 0x0a
const blockSize = 65_536

/**
 * Appends whole lines to a file and waits until they are on disk. First removes an incomplete last line, which a kill during
 * an earlier append may have left. Callers must append to a file one at a time.
 * @param first the first line of a new file, or of one without a complete line
 */
export async function appendLines(
  path: string,
  lines: readonly unknown[],
  first: unknown,
): Promise<void> {
  await using file = await open(path, 'a+', 0o600)
  const { size } = await file.stat()
  const whole = await endOfLastLine(file, size)
  if (whole < size) await file.truncate(whole)
  const added = whole === 0 ? [first, ...lines] : lines
  await file.appendFile(added.map((value) => `${JSON.stringify(value)}\n`).join(''))
  await dateFile(file)
  await file.datasync()
  if (size === 0) await syncFolder(dirname(path))
}

/**
 * Returns the values of the last lines of a file, as many as fit in `bytes`. Skips invalid JSON, such as an incomplete last
 * line. The first line is returned only if the whole file fits.
 */
export async function readLastLines(path: string, bytes: number): Promise<unknown[]> {
  const file = await ifExists(open(path, 'r'))
  if (file === undefined) return []
  await using handle = file
  const { size } = await handle.stat()
  const start = Math.max(0, size - bytes)
  const lines = (await readRange(handle, start, size)).toString('utf8').split('\n')
  return parseLines(start === 0 ? lines : lines.slice(1))
}

/** Returns the value of a file's first line; undefined if it is missing or incomplete. */
export async function readFirstLine(path: string): Promise<unknown> {
  const file = await ifExists(open(path, 'r'))
  if (file === undefined) return undefined
  await using handle = file
  const block = (await readRange(handle, 0, blockSize)).toString('utf8')
  return parseLines(block.split('\n', 1))[0]
}

async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; end -= blockSize) {
    const start = Math.max(0, end - blockSize)
    const index = (await readRange(file, start, end)).lastIndexOf(newline)
    if (index >= 0) return start + index + 1
  }
  return 0
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(end - start)
  let read = 0
  while (read < buffer.length) {
    const { bytesRead } = await file.read(buffer, read, buffer.length - read, start + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return buffer.subarray(0, read)
}

function parseLines(lines: readonly string[]): unknown[] {
  return lines.flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as unknown]
    } catch {
      // An incomplete line was never acknowledged, so no data is lost.
      return []
    }
  })
}
