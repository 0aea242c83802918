import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import { type Directory, systemCode } from './directory.ts'

/** What a file is called until it is whole. */
const unfinished = /^\.unfinished-[0-9a-f]{16}$/
/** Longer than a function may run: its writer was killed. */
const abandonedMs = 60_000

/** Whether an entry is the beginning of a file, and no file of anybody's. */
export function isUnfinished(name: string): boolean {
  return unfinished.test(name)
}

interface ReplaceOptions {
  /** Of the file's permissions; as the system has it for new files where it is absent. */
  mode?: number | undefined
  /** What the file's name begins with until it is whole. */
  temporary?: string
  /** `false` where a loss of power may lose it; a killed process loses nothing either way. */
  durable?: boolean
}

/**
 * Puts a file into a directory, in place of one that is there, at once: readers see the old one or the new one whole. A
 * link in its place is replaced and not followed.
 * @throws Error of the system, EISDIR where a directory stands there
 */
export async function replaceFile(
  directory: Directory,
  name: string,
  content: string | Uint8Array,
  { temporary = '.unfinished-', ...options }: ReplaceOptions = {},
): Promise<void> {
  const unfinished = temporary + randomBytes(8).toString('hex')
  await writeAndRename(directory, unfinished, name, content, options)
}

/**
 * The same by git's own protocol: the name with `.lock` behind it is the lock, and becomes the file.
 * @throws Error of the system, EEXIST where another process holds the lock
 */
export async function replaceLocked(
  directory: Directory,
  name: string,
  content: string | Uint8Array,
): Promise<void> {
  await writeAndRename(directory, `${name}.lock`, name, content)
}

async function writeAndRename(
  directory: Directory,
  unfinished: string,
  name: string,
  content: string | Uint8Array,
  { mode, durable = true }: ReplaceOptions = {},
): Promise<void> {
  const temporary = directory.at(unfinished)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const file = await open(temporary, flags, 0o666)
  try {
    try {
      await file.writeFile(content)
      if (mode !== undefined) await file.chmod(mode)
      if (durable) await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, directory.at(name))
  } catch (error) {
    await unlink(temporary).catch(unlessGone)
    throw error
  }
}

/** Removes what writers left in a directory that were killed. */
export async function removeAbandoned(directory: Directory): Promise<void> {
  for (const name of (await readdir(directory.self)).filter(isUnfinished)) {
    const path = directory.at(name)
    const found = await lstat(path).catch(unlessGone)
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedMs)
      await unlink(path).catch(unlessGone)
  }
}

function unlessGone(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error
}
