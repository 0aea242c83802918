import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file atomically: a reader, or a crash at any moment, finds the old or the new content. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const temporary = `${folder}/${temporaryName()}`
  try {
    await using file = await open(temporary, 'wx', 0o600)
    await file.writeFile(text)
    await dateFile(file)
    await file.datasync()
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await rename(temporary, path)
  await syncFolder(folder)
}

/** Returns a name for a file that is written before it gets its real name. */
export function temporaryName(): string {
  return `.${randomUUID()}.tmp`
}

/** Returns whether a file was left by a process that ended while it wrote it. */
export function isTemporary(name: string): boolean {
  return /^\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/.test(name)
}

let lastDate = 0

/** Sets a file's date to one later than the date of every file that was dated before. The file system's own times are too coarse to order files. */
export async function dateFile(file: FileHandle): Promise<void> {
  lastDate = Math.max(Date.now(), lastDate + 1)
  const date = new Date(lastDate)
  await file.utimes(date, date)
}

/** Syncs a folder, so that created, renamed and removed names survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** Removes a file. @returns false if it does not exist */
export async function removeFile(path: string): Promise<boolean> {
  return (await ifExists(rm(path).then(() => true))) ?? false
}

/** Returns a file's text; undefined if the file does not exist. */
export function readText(path: string): Promise<string | undefined> {
  return ifExists(readFile(path, 'utf8'))
}

/** Returns the sorted names in a folder; empty if the folder does not exist. */
export async function listNames(folder: string): Promise<string[]> {
  return ((await ifExists(readdir(folder))) ?? []).sort()
}

const absent = new Set<string | undefined>(['ENOENT', 'ENOTDIR'])

/** Returns undefined for "no such file". Other errors are thrown. */
export async function ifExists<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}
