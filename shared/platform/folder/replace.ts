import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises'
import { type Directory, systemCode } from './directory.ts'

/** The name of a file while it is being written. */
const unfinished = /^\.unfinished-[0-9a-f]{16}$/
/** Longer than any function runs. The writer of an older unfinished file was killed. */
const abandonedMs = 60_000

/** Returns whether an entry is a temporary file of a write, not a user's file. */
export function isUnfinished(name: string): boolean {
  return unfinished.test(name)
}

interface ReplaceOptions {
  /** The file's permission bits. Default: the system's default for new files. */
  mode?: number | undefined
  /** Prefix of the temporary name. */
  temporary?: string
  /** `false` if a power failure may lose the file; a killed process never loses it. */
  durable?: boolean
}

/**
 * Writes a file into a directory and replaces an existing one in one step: readers get the whole old file or the whole
 * new file. A link with that name is replaced, not followed.
 * @throws Error of the system, EISDIR if a directory has that name
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
 * Replaces a file with git's protocol: the file `<name>.lock` is the lock and is renamed to the file.
 * @throws Error of the system, EEXIST if another process holds the lock
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

/** Removes the unfinished files of killed writers from a directory. */
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
