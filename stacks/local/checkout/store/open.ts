import { openDatabase, type Store } from '#stacks/local/sqlite/open.ts'

export type { Store }

const schema = `
CREATE TABLE record (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX record_kind ON record (kind, seq);
CREATE TABLE request (
  idempotency_key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE event (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  state TEXT NOT NULL,
  owed INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  last_status INTEGER,
  due_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX event_waiting ON event (due_at, seq) WHERE state = 'waiting';
CREATE TABLE delivery (id INTEGER PRIMARY KEY CHECK (id = 1), mode TEXT NOT NULL) STRICT;
INSERT INTO delivery (id, mode) VALUES (1, 'normal');
`

/** Opens the stand-in's database in `dir` and creates it on first use. @throws Error if another process holds it */
export function openStore(dir: string): Store {
  return openDatabase({ dir, file: 'checkout.sqlite', owner: 'checkout', schema, version: 1 })
}
