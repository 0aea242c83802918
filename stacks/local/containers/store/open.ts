import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'

type Row = Record<string, SQLOutputValue>

/** The engine's durable state: one SQLite file, owned by one engine at a time. */
export interface Store {
  /** The first row of a query; statements are prepared once. */
  get(sql: string, ...parameters: SQLInputValue[]): Row | undefined
  /** Every row of a query. */
  all(sql: string, ...parameters: SQLInputValue[]): Row[]
  /** Runs a statement that changes something. */
  run(sql: string, ...parameters: SQLInputValue[]): void
  /** Runs `work` in one write transaction; a throw rolls all of it back. */
  transaction<T>(work: () => T): T
  close(): void
}

const schemaVersion = 1

const schema = `
CREATE TABLE definition (
  family TEXT NOT NULL,
  revision INTEGER NOT NULL,
  content TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (family, revision)
) STRICT;
CREATE TABLE task (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  family TEXT NOT NULL,
  started_by TEXT,
  client_token TEXT,
  request TEXT NOT NULL,
  last_status TEXT NOT NULL,
  desired_status TEXT NOT NULL,
  stopped_at INTEGER,
  dropped INTEGER NOT NULL DEFAULT 0,
  port INTEGER,
  pid INTEGER,
  process_start TEXT,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX task_client_token ON task (client_token) WHERE client_token IS NOT NULL;
CREATE INDEX task_started_by ON task (started_by, seq);
CREATE INDEX task_live ON task (seq) WHERE last_status <> 'STOPPED';
CREATE UNIQUE INDEX task_port ON task (port) WHERE last_status <> 'STOPPED';
CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL) STRICT;
`

/**
 * Opens, and on first use creates, the engine's database in `dir`.
 *
 * The exclusive lock keeps a second engine off the same folder, which would take the first one's
 * processes for leftovers; the operating system releases it however the engine ends.
 * @throws when another engine holds the folder, or the file is of another schema version
 */
export function openStore(dir: string): Store {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(join(dir, 'engine.db'))
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
  transaction(() => migrate(db))
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

function migrate(db: DatabaseSync): void {
  const found = db.prepare('PRAGMA user_version').get()?.['user_version']
  if (found === 0) db.exec(`${schema} PRAGMA user_version = ${schemaVersion}`)
  else if (found !== schemaVersion) {
    throw new Error(`The container engine's database has schema ${found}, not ${schemaVersion}`)
  }
}
