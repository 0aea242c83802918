import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Replaces a file whole or not at all: a reader or a crash at any moment finds the old or the new. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const temporary = `${folder}/.${randomUUID()}.tmp`
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

let lastDate = 0

/** Dates a file later than all before it: a system's own times are steps apart, within which files have no order. */
export async function dateFile(file: FileHandle): Promise<void> {
  lastDate = Math.max(Date.now(), lastDate + 1)
  const date = new Date(lastDate)
  await file.utimes(date, date)
}

/** Makes created, renamed and removed names of a folder outlast a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}

/** Removes a file. @returns false when there was none */
export async function removeFile(path: string): Promise<boolean> {
  return (await present(rm(path).then(() => true))) ?? false
}

/** A file's text, or undefined when there is none. */
export function readText(path: string): Promise<string | undefined> {
  return present(readFile(path, 'utf8'))
}

/** The names in a folder, sorted; none when the folder does not exist yet. */
export async function listNames(folder: string): Promise<string[]> {
  return ((await present(readdir(folder))) ?? []).sort()
}

const absent = new Set<string | undefined>(['ENOENT', 'ENOTDIR'])

/** Turns "no such file" into undefined; every other failure stays one. */
export async function present<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code)) return undefined
    throw error
  }
}
