import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDataDir, UnusableDirError } from './data-dir.ts'

/** Another stack, alive, works in the data directory. */
export class LockedError extends Error {
  constructor(dir: string, holder: string, options: ErrorOptions) {
    super(
      `${dir} is in use by process ${holder}, another start of the platform; stop it, or set DATA_DIR and the ports to others`,
      options,
    )
    this.name = 'LockedError'
  }
}

/** Locks of this process. One that nothing refers to would be collected, and thereby released. */
const held = new Set<DatabaseSync>()

export interface Lock {
  release(): void
}

/**
 * Takes a data directory for this process. The lock is one of the operating system's on a file, held through SQLite
 * because Node has no call for it: it ends with its process however that ends, so a stale one cannot exist.
 * @throws LockedError
 * @throws UnusableDirError when it cannot be worked in
 */
export async function takeLock(dir: string): Promise<Lock> {
  await makeDataDir(dir)
  const holderFile = join(dir, 'lock.pid')
  const file = openLock(dir)
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
    if (!isBusy(error)) throw new UnusableDirError(dir, error)
    const holder = await readFile(holderFile, 'utf8').catch(() => 'unknown')
    throw new LockedError(dir, holder.trim(), { cause: error })
  }
  held.add(file)
  await writeFile(holderFile, `${process.pid}\n`)
  return {
    release() {
      held.delete(file)
      file.close()
    },
  }
}

function openLock(dir: string): DatabaseSync {
  try {
    return new DatabaseSync(join(dir, 'lock'))
  } catch (error) {
    throw new UnusableDirError(dir, error)
  }
}

/** SQLite's word for a lock that another process holds. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}

/** Everything in a data directory but its lock, which stays held while the rest is removed. */
export function isLockFile(name: string): boolean {
  return name === 'lock' || name.startsWith('lock.') || name.startsWith('lock-')
}
