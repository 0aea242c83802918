import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface FoundProcess {
  pid: number
  parent: number
  command: string
}

/** Returns a process and all its descendants. */
export function processesBelow(root: number): FoundProcess[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => processOf(Number(pid)) ?? [])
  const found = all.filter(({ pid }) => pid === root)
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid))
  return found
}

/** @returns undefined if the process has ended */
function processOf(pid: number): FoundProcess | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    if (/^State:\s+[ZX]/m.test(status)) return undefined
    const parent = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1])
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { pid, parent, command }
  } catch {
    return undefined
  }
}

/** Returns whether a process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  return processOf(pid) !== undefined
}

const chunkBytes = 1 << 22

/** Returns whether the writable memory of a process, such as heap, stacks and mappings, contains any of these bytes. */
export function memoryHolds(pid: number, needles: readonly Buffer[]): boolean {
  const file = openIfAlive(pid)
  if (file === undefined) return false
  const chunk = Buffer.alloc(chunkBytes)
  // Chunks overlap, because a match may cross the end of a chunk.
  const overlap = Math.max(...needles.map(({ length }) => length)) - 1
  try {
    for (const [from, to] of writableRanges(pid))
      for (let at = from; at < to; at += chunkBytes - overlap) {
        const bytes = readAt(file, chunk, at, Math.min(chunkBytes, to - at))
        if (bytes === 0) break
        const read = chunk.subarray(0, bytes)
        if (needles.some((needle) => read.includes(needle))) return true
      }
    return false
  } finally {
    closeSync(file)
  }
}

function openIfAlive(pid: number): number | undefined {
  try {
    return openSync(`/proc/${pid}/mem`, 'r')
  } catch (error) {
    if (isAlive(pid)) throw error
    return undefined
  }
}

function writableRanges(pid: number): [number, number][] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      return from === undefined || to === undefined
        ? []
        : [[Number.parseInt(from, 16), Number.parseInt(to, 16)] as [number, number]]
    })
}

/** @returns 0 if the process has unmapped the range since */
function readAt(file: number, chunk: Buffer, at: number, length: number): number {
  try {
    return readSync(file, chunk, 0, length, at)
  } catch {
    return 0
  }
}

/** Returns the files in a folder and its subfolders that contain any of these bytes. */
export async function findingIn(folder: string, needles: readonly Buffer[]): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    // Short-lived files, such as a database's journal, may be gone.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    if (needles.some((needle) => bytes.includes(needle))) found.push(path)
  }
  return found
}
