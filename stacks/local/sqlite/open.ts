import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'

type Row = Record<string, SQLOutputValue>

/** The durable state of an engine: one SQLite file, used by one engine at a time. */
export interface Store {
  /** Returns the first row of a query. Statements are prepared once. */
  get(sql: string, ...parameters: SQLInputValue[]): Row | undefined
  /** Returns every row of a query. */
  all(sql: string, ...parameters: SQLInputValue[]): Row[]
  /** Runs a statement that changes rows. */
  run(sql: string, ...parameters: SQLInputValue[]): void
  /** Runs `work` in one write transaction and rolls it back on a throw. */
  transaction<T>(work: () => T): T
  close(): void
}

interface DatabaseOptions {
  dir: string
  /** The name of the file in `dir`. */
  file: string
  /** The name of the engine, for the error about a file of another version. */
  owner: string
  /** The SQL that creates the schema. */
  schema: string
  version: number
}

/**
 * Opens an engine's database and creates it on first use. A commit is in the file when the call returns, so it survives
 * a kill -9. The operating system releases the exclusive lock no matter how the engine ends.
 * @throws Error if another process has the file open, or its schema version differs
 */
export function openDatabase(options: DatabaseOptions): Store {
  const { dir, file } = options
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(join(dir, file))
  db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  const transaction = <T>(work: () => T): T => {
    if (db.isTransaction) return work()
    db.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      db.exec('COMMIT')
      return result
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
  transaction(() => migrate(db, options))
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return {
    get: (sql, ...parameters) => prepare(sql).get(...parameters),
    all: (sql, ...parameters) => prepare(sql).all(...parameters),
    run: (sql, ...parameters) => void prepare(sql).run(...parameters),
    transaction,
    close: () => db.close(),
  }
}

function migrate(db: DatabaseSync, { owner, schema, version }: DatabaseOptions): void {
  const found = db.prepare('PRAGMA user_version').get()?.['user_version']
  if (found === 0) db.exec(`${schema} PRAGMA user_version = ${version}`)
  else if (found !== version) {
    throw new Error(`The ${owner}'s database has schema ${found}, not ${version}`)
  }
}
