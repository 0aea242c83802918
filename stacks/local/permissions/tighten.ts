import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** What a group and everybody else may do with a file or a folder. */
const ofOthers = 0o077

/**
 * Takes from everybody but the owner all rights to a folder and all that is in it. Links are left alone,
 * and so is what they lead to.
 * @param skipped names of the folder's own entries that stay as they are
 * @throws Error of the system where something belongs to another user
 */
export async function tighten(path: string, skipped: readonly string[] = []): Promise<void> {
  const found = await lstat(path).catch(unlessGone)
  if (found === undefined || !(found.isDirectory() || found.isFile())) return
  if ((found.mode & ofOthers) !== 0)
    await chmod(path, found.mode & 0o7777 & ~ofOthers).catch(unlessGone)
  if (!found.isDirectory()) return
  for (const name of (await readdir(path).catch(unlessGone)) ?? [])
    if (!skipped.includes(name)) await tighten(join(path, name))
}

/** Whether users other than its owner may do anything with a file; not where there is none. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const found = await lstat(path).catch(unlessGone)
  return found !== undefined && (found.mode & ofOthers) !== 0
}

/** An agent of the start before may still be ending, and remove what it made. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
