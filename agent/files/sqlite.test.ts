import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { useStore } from './testing/use.ts'

const on = useStore()
const open: DatabaseSync[] = []
afterEach(() => {
  for (const database of open.splice(0)) if (database.isOpen) database.close()
})

function openDatabase(path: string, mode: 'wal' | 'delete'): DatabaseSync {
  const database = new DatabaseSync(path)
  open.push(database)
  database.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE IF NOT EXISTS t (n INTEGER, x TEXT)`)
  return database
}

const insert = (database: DatabaseSync, n: number) =>
  database.prepare('INSERT INTO t VALUES (?, ?)').run(n, 'x'.repeat(1000))

/** Restores the newest files, and returns the rows of the database there. */
async function restoredRows(): Promise<{ count: number; names: string[] }> {
  const disk = await on.disk()
  await on.open(disk)
  const names = (await readdir(disk)).filter((name) => name !== '.files.json')
  const database = new DatabaseSync(join(disk, 'data.db'))
  open.push(database)
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const row = database.prepare('SELECT count(*) AS count FROM t').get()
  return { count: Number(row?.['count']), names }
}

test.each(['wal', 'delete'] as const)(
  'a database in mode %s that is open is stored whole',
  async (mode) => {
    const disk = await on.disk()
    const database = openDatabase(join(disk, 'data.db'), mode)
    for (let n = 0; n < 50; n++) insert(database, n)
    const files = await on.open(disk)
    await files.sync()
    expect(await restoredRows()).toEqual({ count: 50, names: ['data.db'] })
  },
)

test('changes only in the write-ahead log are found', async () => {
  const disk = await on.disk()
  const database = openDatabase(join(disk, 'data.db'), 'wal')
  const files = await on.open(disk)
  await files.sync()
  for (let n = 1; n <= 3; n++) {
    insert(database, n)
    await files.sync()
    expect(on.store.row.version).toBe(n + 1)
  }
  // Without a change, nothing is stored.
  await files.sync()
  await files.sync()
  expect(on.store.row.version).toBe(4)
  expect((await restoredRows()).count).toBe(3)
})

test('a transaction that is not committed is not stored', async () => {
  const disk = await on.disk()
  const database = openDatabase(join(disk, 'data.db'), 'wal')
  insert(database, 1)
  database.exec('BEGIN IMMEDIATE')
  insert(database, 2)
  const files = await on.open(disk)
  await files.sync()
  database.exec('COMMIT')
  expect((await restoredRows()).count).toBe(1)
})

test('a database that a writer locks is stored as it was, and again once it is free', async () => {
  const disk = await on.disk()
  await writeFile(join(disk, 'other'), '1')
  const database = openDatabase(join(disk, 'data.db'), 'delete')
  insert(database, 1)
  const files = await on.open(disk)
  await files.sync()
  insert(database, 2)
  database.exec('BEGIN EXCLUSIVE')
  insert(database, 3)
  await writeFile(join(disk, 'other'), '2')
  await files.sync()
  expect(on.store.texts()['other']).toBe('2')
  expect(on.lines).toEqual(['Files: 1 databases are locked by a program'])
  expect((await restoredRows()).count).toBe(1)
  database.exec('COMMIT')
  const later = await on.open(disk)
  await later.sync()
  expect((await restoredRows()).count).toBe(3)
})

test('a closed database with a write-ahead log is read without creating the log', async () => {
  const disk = await on.disk()
  const database = openDatabase(join(disk, 'data.db'), 'wal')
  insert(database, 1)
  database.close()
  const files = await on.open(disk)
  await files.sync()
  expect((await readdir(disk)).sort()).toEqual(['.files.json', 'data.db'])
  expect((await restoredRows()).count).toBe(1)
})

test('files that only look like databases, or like their logs, are files', async () => {
  const disk = await on.disk()
  const fake = `SQLite format 3\0${'x'.repeat(5000)}`
  await writeFile(join(disk, 'fake.db'), fake)
  await writeFile(join(disk, 'notes-wal'), 'about a wall')
  await writeFile(join(disk, 'notes'), 'notes')
  await writeFile(join(disk, 'my-journal'), 'dear diary')
  const files = await on.open(disk)
  await files.sync()
  expect(on.store.texts()).toEqual({
    'fake.db': fake,
    'my-journal': 'dear diary',
    notes: 'notes',
    'notes-wal': 'about a wall',
  })
})

test('a database of the API replaces the log of the old one too', async () => {
  const disk = await on.disk()
  const database = openDatabase(join(disk, 'data.db'), 'wal')
  insert(database, 1)
  const files = await on.open(disk)
  await files.sync()
  await files.close()
  insert(database, 2)
  // The process was killed with its log on the disk.
  const kept = await Promise.all(
    ['data.db', 'data.db-wal'].map(
      async (name) => [name, await readFile(join(disk, name))] as const,
    ),
  )
  database.close()
  for (const [name, bytes] of kept) await writeFile(join(disk, name), bytes)
  await rm(join(disk, 'data.db-shm'), { force: true })
  on.store.change({ 'data.db': 'not a database any more' })
  await on.open(disk)
  expect((await readdir(disk)).sort()).toEqual(['.files.json', 'data.db'])
})
