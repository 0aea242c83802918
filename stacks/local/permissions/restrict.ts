import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The permission bits of the group and others. */
const ofOthers = 0o077

/**
 * Removes all permissions of other users from a folder and everything in it. Does not touch or follow links.
 * @param skipped names of the folder's direct entries that stay unchanged
 * @throws the system's error if a file belongs to another user
 */
export async function restrictPermissions(
  path: string,
  skipped: readonly string[] = [],
): Promise<void> {
  const found = await lstat(path).catch(unlessGone)
  if (found === undefined || !(found.isDirectory() || found.isFile())) return
  if ((found.mode & ofOthers) !== 0)
    await chmod(path, found.mode & 0o7777 & ~ofOthers).catch(unlessGone)
  if (!found.isDirectory()) return
  for (const name of (await readdir(path).catch(unlessGone)) ?? [])
    if (!skipped.includes(name)) await restrictPermissions(join(path, name))
}

/** Returns whether other users can access a file; false if it does not exist. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  const found = await lstat(path).catch(unlessGone)
  return found !== undefined && (found.mode & ofOthers) !== 0
}

/** An agent of the previous start may still be ending and remove its files. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
