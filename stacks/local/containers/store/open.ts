import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The engine's durable state: one SQLite file, owned by one engine at a time. */
export interface Store {
  /** Runs a statement from a template, parameters bound, statements cached. */
  readonly sql: ReturnType<DatabaseSync['createTagStore']>
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
  return { sql: db.createTagStore(), transaction, close: () => db.close() }
}

function migrate(db: DatabaseSync): void {
  const found = db.prepare('PRAGMA user_version').get()?.['user_version']
  if (found === 0) db.exec(`${schema} PRAGMA user_version = ${schemaVersion}`)
  else if (found !== schemaVersion) {
    throw new Error(`The container engine's database has schema ${found}, not ${schemaVersion}`)
  }
}
