import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Database, startDatabase } from '#stacks/local/database/server.ts'

/** SQLite's database and its write-ahead log. */
const files = ['database.sqlite', 'database.sqlite-wal']

/**
 * The maximum number of copies to try: a write makes a copy unusable, but on one machine seconds pass between writes.
 */
const maxTries = 50

/**
 * Starts a database over a copy of one machine's database, which may be in use. The stack owns the original, so this
 * only reads it. Closing removes the copy.
 * @param dir the database's folder in DATA_DIR
 */
export async function openSnapshot(dir: string): Promise<Pick<Database, 'endpoint' | 'close'>> {
  const copy = await mkdtemp(join(tmpdir(), 'platform-audit-'))
  const remove = () => rm(copy, { recursive: true, force: true })
  try {
    await copyWhole(dir, copy)
    const database = await startDatabase({ dir: copy })
    return {
      endpoint: database.endpoint,
      async close() {
        await database.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Repeats the copy until no write happens during it, so that the files are from the same moment. */
async function copyWhole(dir: string, copy: string): Promise<void> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await stateOf(dir)
    if (before[0] === undefined)
      throw new Error(
        `${dir} contains no database: set DATA_DIR to the data folder of \`npm run dev\`, or TABLE_NAME to a deployed table`,
      )
    for (const [i, file] of files.entries())
      if (before[i] === undefined) await rm(join(copy, file), { force: true })
      else await copyFile(join(dir, file), join(copy, file))
    if (isDeepStrictEqual(before, await stateOf(dir))) return
    await wait(100)
  }
  throw new Error('The database changes too often to copy; stop `npm run dev` and try again')
}

function stateOf(dir: string) {
  return Promise.all(files.map((file) => fileState(join(dir, file))))
}

/** @returns undefined if the file does not exist */
async function fileState(path: string) {
  try {
    const { size, mtimeNs } = await stat(path, { bigint: true })
    return { size, mtimeNs }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
