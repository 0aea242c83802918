import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SQLInputValue, StatementSync } from 'node:sqlite'

/**
 * WAL with synchronous NORMAL: a commit is in the file when the call returns, so it survives the death of the process
 * at any point. A power cut may lose the last commits, but never half of one. The exclusive lock makes a second process
 * on the same folder fail immediately, and allows the engine to cache table descriptions in memory.
 */
const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA temp_store = MEMORY;
`

/**
 * Items keep their id for life, so the segments of a parallel scan stay stable. An index entry holds only keys: the
 * item is joined and projected on read, so the two cannot differ in content.
 */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS tables (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, description TEXT NOT NULL, ttl TEXT
  );
  CREATE TABLE IF NOT EXISTS items (
    id INTEGER PRIMARY KEY, tbl INTEGER NOT NULL, hash BLOB NOT NULL, range BLOB NOT NULL,
    size INTEGER NOT NULL, expires INTEGER, data TEXT NOT NULL, UNIQUE (tbl, hash, range)
  );
  CREATE INDEX IF NOT EXISTS expiring ON items (expires) WHERE expires IS NOT NULL;
  CREATE TABLE IF NOT EXISTS entries (
    tbl INTEGER NOT NULL, idx TEXT NOT NULL, hash BLOB NOT NULL, range BLOB NOT NULL,
    item_hash BLOB NOT NULL, item_range BLOB NOT NULL,
    PRIMARY KEY (tbl, idx, hash, range, item_hash, item_range)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tokens (
    token TEXT PRIMARY KEY, request TEXT NOT NULL, at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS token_age ON tokens (at);
`

/** A SQLite database with cached statements. Every call is synchronous. */
export class Storage {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** @param dir the folder of the database file, created if missing, or `:memory:` */
  constructor(dir: string) {
    if (dir !== ':memory:') mkdirSync(dir, { recursive: true })
    this.#db = new DatabaseSync(dir === ':memory:' ? dir : join(dir, 'database.sqlite'))
    this.#db.exec(SETTINGS)
    this.#db.exec(SCHEMA)
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#prepare(sql).run(...values)
  }

  /** Returns the first row, or undefined. */
  first<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined
  }

  /** Returns rows one by one, so that a page can end without reading the rest of the partition. */
  rows<Row>(sql: string, ...values: SQLInputValue[]): IterableIterator<Row> {
    return this.#prepare(sql).iterate(...values) as unknown as IterableIterator<Row>
  }

  /**
   * Runs `work` as one transaction: all of its writes are made, or none if it throws or the process dies. Work is
   * synchronous, so nothing else runs during a transaction: isolation is serial.
   */
  transaction<Result>(work: () => Result): Result {
    this.run('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.run('COMMIT')
      return result
    } catch (error) {
      this.run('ROLLBACK')
      throw error
    }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }
}
