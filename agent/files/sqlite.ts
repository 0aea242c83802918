import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const magic = Buffer.from('SQLite format 3\0')

/** The byte of the header that is 2 for a database with a write-ahead log: sqlite.org/fileformat.html, 1.3.3. */
const readVersionAt = 19
const withLog = 2

/** The time to wait for a writer that locks the whole database, in milliseconds. */
const lockedMs = 3000

/** The errors of a file that only begins like a database: SQLITE_CORRUPT and SQLITE_NOTADB. */
const invalid = new Set<unknown>([11, 26])

/** The files that SQLite keeps beside a database. A copy of the database contains what they add. */
export const companions = ['-wal', '-shm', '-journal'] as const

/** @param head the first bytes of a file, at least 20 */
export function isDatabase(head: Buffer): boolean {
  return head.length > readVersionAt && head.subarray(0, magic.length).equals(magic)
}

/**
 * Returns whether a database uses a write-ahead log.
 * @param head the first bytes of its file
 */
export function usesLog(head: Buffer): boolean {
  return head[readVersionAt] === withLog
}

/**
 * Copies a database in one consistent state, while programs write to it. The copy is one step in another thread, so
 * that a writer cannot make it begin again. With a write-ahead log, it waits for no writer.
 * @returns the path of the copy, which the caller removes; `locked` if it cannot be copied now, `invalid` if it is no
 * database
 */
export async function copyDatabase(
  path: string | Buffer,
): Promise<{ copy: string } | 'locked' | 'invalid'> {
  // Imported on demand, because it adds to the time of every start.
  const { backup, DatabaseSync } = await import('node:sqlite')
  const copy = join(tmpdir(), `agent-files-${randomBytes(8).toString('hex')}`)
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: lockedMs })
    try {
      // All pages at once.
      await backup(source, copy, { rate: 2_147_483_647 })
    } finally {
      source.close()
    }
    return { copy }
  } catch (error) {
    await rm(copy, { force: true })
    const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
    return invalid.has(code) ? 'invalid' : 'locked'
  }
}
