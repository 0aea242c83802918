import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, readFile, rename, unlink } from 'node:fs/promises'
import { posix } from 'node:path'
import { PlatformError } from '#shared/platform/errors.ts'
import { type Directory, systemCode } from '#shared/platform/folder/directory.ts'
import type { RepositoryFiles } from './file-system.ts'
import { ignoreMissing } from './repository.ts'

const name = 'agent-platform-sync.lock'
/** Longer than the function can run: an older lock belongs to a killed process. */
const staleMs = 30_000

export interface Lock {
  release(): Promise<void>
  /** Epoch milliseconds. */
  killedMs: number | undefined
}

/**
 * Removes a git lock that a killed sync left behind, recognised by its creation time.
 * @param path of the locked file, relative to the root
 */
export async function removeStaleLock(
  { fs, directory }: RepositoryFiles,
  path: string,
  { killedMs }: Lock,
): Promise<void> {
  if (killedMs === undefined) return
  const lock = `${path}.lock`
  const found = await fs.promises.lstat(lock).catch(ignoreMissing)
  const made = found?.mtimeMs ?? 0
  if (made < killedMs || made > killedMs + staleMs) return
  const folder = await directory(posix.dirname(lock))
  await unlink(folder.at(posix.basename(lock))).catch(unlessGone)
}

/**
 * Locks a repository for one sync. A lock of a killed sync expires after 30 s, or immediately if its process on this
 * machine has ended.
 * @param git the repository's `.git`
 * @returns a function that releases the lock, and when a killed sync started
 * @throws PlatformError 409 while another sync is running
 */
export async function acquireLock(git: Directory, deployed: boolean): Promise<Lock> {
  const before = await lstat(git.at(name)).catch(unlessGone)
  if (!(await create(git)) && !((await removeStale(git, deployed)) && (await create(git))))
    throw new PlatformError('conflict', 'Another sync is running; try again soon', {
      headers: { 'Retry-After': '5' },
    })
  return {
    release: () => unlink(git.at(name)).catch(unlessGone),
    killedMs: before?.mtimeMs,
  }
}

async function create(git: Directory): Promise<boolean> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  try {
    const file = await open(git.at(name), flags)
    await file.writeFile(String(process.pid)).finally(() => file.close())
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Renames the lock first, so that only one of two processes removes a stale lock. If the lock is not stale, it is
 * restored.
 */
async function removeStale(git: Directory, deployed: boolean): Promise<boolean> {
  if (!(await isStale(git.at(name), deployed))) return false
  const aside = git.at(`${name}.${randomBytes(8).toString('hex')}`)
  try {
    await rename(git.at(name), aside)
  } catch (error) {
    unlessGone(error)
    return true
  }
  const stale = await isStale(aside, deployed)
  if (!stale) await link(aside, git.at(name)).catch(() => {})
  await unlink(aside)
  return stale
}

async function isStale(path: string | Buffer, deployed: boolean): Promise<boolean> {
  const found = await lstat(path).catch(unlessGone)
  if (found?.isFile() !== true) return found === undefined
  if (Date.now() - found.mtimeMs > staleMs) return true
  if (deployed) return false
  const holder = Number(await readFile(path, 'utf8').catch(unlessGone))
  return holder > 0 && holder !== process.pid && !isAlive(holder)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCode(error) !== 'ESRCH'
  }
}

function unlessGone(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error
}
