import { mkdir, stat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, relative, resolve } from 'node:path'

/** DATA_DIR cannot be what it has to be: a folder that this process may write to. */
export class UnusableDirError extends Error {
  constructor(dir: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(
      `DATA_DIR: ${dir} must be a folder that you may write to (${why}). Example: DATA_DIR=.data`,
      { cause },
    )
    this.name = 'UnusableDirError'
  }
}

/** Where others' things are: a start closes DATA_DIR to other users, and `--reset` empties it. */
const shared = [homedir(), tmpdir(), resolve(import.meta.dirname, '../../..')]

/** Makes a folder for its owner's eyes alone, unless it is there. @throws UnusableDirError */
export async function makeDataDir(dir: string): Promise<void> {
  try {
    if (shared.some((place) => isWithin(dir, place)))
      throw new Error('it holds more than the platform’s state; name a folder of its own')
    await make(dir)
  } catch (error) {
    throw new UnusableDirError(dir, error)
  }
}

/** Level by level: mkdir's own `recursive` never ends where a parent exists that nothing can be made in, as in /proc. */
async function make(dir: string): Promise<void> {
  if (await isFolder(dir)) return
  await make(dirname(dir))
  try {
    await mkdir(dir, { mode: 0o700 })
  } catch (error) {
    // Another start may have made it meanwhile.
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
