import { openDatabase, type Store } from '#stacks/local/sqlite/open.ts'

export type { Store }

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
 * Opens the engine's database in `dir` and creates it on first use. The exclusive lock prevents a second engine on the same
 * folder, which would end the first one's processes as leftovers.
 * @throws Error if another engine holds the folder or the schema version differs
 */
export function openStore(dir: string): Store {
  return openDatabase({ dir, file: 'engine.db', owner: 'container engine', schema, version: 1 })
}
