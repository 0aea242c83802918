import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Item, Key, Table, Update, Write } from '#shared/platform/table/port.ts'

/**
 * A minimal table that survives a killed process: SQLite with the settings of the local stack's database, one row per item,
 * called in the same thread, without DynamoDB's requests, checks and expressions.
 */
export function durableTable(
  dir: string,
  seed: readonly Item[],
): Pick<Table, 'getMany' | 'update' | 'transact'> {
  const db = new DatabaseSync(join(dir, 'plain.sqlite'))
  db.exec(`
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE items (pk TEXT, sk TEXT, data TEXT NOT NULL, PRIMARY KEY (pk, sk)) WITHOUT ROWID;
  `)
  const read = db.prepare('SELECT data FROM items WHERE pk = ? AND sk = ?')
  const write = db.prepare(
    'INSERT INTO items VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET data = excluded.data',
  )
  const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')]

  function find({ pk, sk }: Key): Item | undefined {
    const row = read.get(pk, sk)
    return row && (JSON.parse(String(row['data'])) as Item)
  }

  function put(item: Item): Item {
    write.run(item.pk, item.sk, JSON.stringify(item))
    return item
  }

  function add({ pk, sk }: Key, { add: added = {} }: Update): Item {
    const item: Item = find({ pk, sk }) ?? { pk, sk }
    for (const [name, value] of Object.entries(added)) item[name] = Number(item[name] ?? 0) + value
    return put(item)
  }

  function together<T>(work: () => T): T {
    begin.run()
    const done = work()
    commit.run()
    return done
  }

  function change(each: Write): void {
    if ('put' in each) put(each.put)
    else if ('update' in each) add(each.update, each)
    else throw new Error('the gateway makes no deletions')
  }

  together(() => seed.forEach(put))
  return {
    getMany: async (keys) => keys.map(find),
    update: async (key, update) => together(() => add(key, update)),
    transact: async (writes) => together(() => writes.forEach(change)),
  }
}
