import { mkdir, stat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, relative, resolve } from 'node:path'

/** DATA_DIR is not a folder that this process can write to. */
export class UnusableDirError extends Error {
  constructor(dir: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(
      `DATA_DIR: ${dir} must be a folder that you can write to (${why}). Example: DATA_DIR=.data`,
      { cause },
    )
    this.name = 'UnusableDirError'
  }
}

/** Folders with other files in them. They cannot be DATA_DIR, which a start makes private and `--reset` empties. */
const shared = [homedir(), tmpdir(), resolve(import.meta.dirname, '../../..')]

/** Creates a folder that only its owner can read, unless it exists. @throws UnusableDirError */
export async function makeDataDir(dir: string): Promise<void> {
  try {
    if (shared.some((place) => isWithin(dir, place)))
      throw new Error('it holds other files too; name a folder of its own')
    await make(dir)
  } catch (error) {
    throw new UnusableDirError(dir, error)
  }
}

/** Creates one level at a time: mkdir's `recursive` never returns if a parent does not allow new entries, as in /proc. */
async function make(dir: string): Promise<void> {
  if (await isFolder(dir)) return
  await make(dirname(dir))
  try {
    await mkdir(dir, { mode: 0o700 })
  } catch (error) {
    // Another start may have created it in the meantime.
    if (!(await isFolder(dir))) throw error
  }
}

function isWithin(dir: string, path: string): boolean {
  return !/^\.\.(?:\/|$)/.test(relative(dir, path))
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}
