import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makeDataDir, UnusableDirError } from './data-dir.ts'

/** Another running stack uses the data directory. */
export class LockedError extends Error {
  constructor(dir: string, holder: string, options: ErrorOptions) {
    super(
      `${dir} is in use by process ${holder}, another start of the platform; stop it, or set another DATA_DIR and other ports`,
      options,
    )
    this.name = 'LockedError'
  }
}

/** The locks of this process. Without a reference, the garbage collector would release them. */
const locks = new Set<DatabaseSync>()

export interface Lock {
  release(): void
}

/**
 * Locks a data directory for this process. Uses an operating system lock on a file, through SQLite because Node has no
 * API for it. The system releases it when the process ends, so there are no stale locks.
 * @throws LockedError if another process holds the lock
 * @throws UnusableDirError if the directory cannot be used
 */
export async function acquireLock(dir: string): Promise<Lock> {
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
  locks.add(file)
  await writeFile(holderFile, `${process.pid}\n`)
  return {
    release() {
      locks.delete(file)
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

/** SQLITE_BUSY: another process holds the lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5
}

/** Returns true for the lock's own files, which stay while `--reset` removes the rest. */
export function isLockFile(name: string): boolean {
  return name === 'lock' || name.startsWith('lock.') || name.startsWith('lock-')
}
