import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another stack, alive, works in the data directory. */
export class LockedError extends Error {
  constructor(dir: string, holder: string, options: ErrorOptions) {
    super(
      `${dir} is in use by process ${holder}; stop it or set DATA_DIR to another place`,
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
 */
export async function takeLock(dir: string): Promise<Lock> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const holderFile = join(dir, 'lock.pid')
  const file = new DatabaseSync(join(dir, 'lock'))
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    file.close()
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

/** Everything in a data directory but its lock, which stays held while the rest is removed. */
export function isLockFile(name: string): boolean {
  return name === 'lock' || name.startsWith('lock.') || name.startsWith('lock-')
}
