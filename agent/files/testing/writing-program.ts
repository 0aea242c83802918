import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { Files } from '../files.ts'

/**
 * A container whose program writes numbered files and rows while the files are stored. It prints `begin 0`, then after the
 * restore `restored <number>`, then `stored <number>` after each sync, with the last number written before it.
 * Arguments: the disk, the address of the store, the generation.
 */
const [root = '', origin = '', generation = ''] = process.argv.slice(2)

const say = (text: string) => process.stdout.write(`${text}\n`)

say('begin 0')
const files = await Files.restore({
  root,
  baseUrl: new URL(origin),
  apiKey: 'ak_1',
  generation: Number(generation),
  log: () => {},
  onHeld: () => process.exit(3),
})
const folder = join(root, 'workspace')
mkdirSync(join(folder, 'files'), { recursive: true })
const database = new DatabaseSync(join(folder, 'data.db'))
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20')
database.exec('CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, x TEXT)')
const insert = database.prepare('INSERT INTO t VALUES (?, ?)')
const forget = database.prepare('DELETE FROM t WHERE n < ?')
// A sync reads the database before the last number, so that number can be later.
const last = existsSync(join(folder, 'last'))
  ? Number(readFileSync(join(folder, 'last'), 'utf8'))
  : 0
let n = Math.max(last, Number(database.prepare('SELECT max(n) AS n FROM t').get()?.['n'] ?? 0))
say(`restored ${n}`)

function write(): void {
  insert.run(++n, 'x'.repeat(n % 500))
  forget.run(n - 1000)
  // Each kind of change: files that are replaced, one that is written in place, new ones, and deleted ones.
  replace(join(folder, 'files', String(n % 40)))
  writeFileSync(join(folder, 'in place'), String(n))
  const kept = join(folder, `day ${Math.floor(n / 50) % 7}`)
  if (n % 50 === 0) rmSync(kept, { recursive: true, force: true })
  mkdirSync(kept, { recursive: true })
  writeFileSync(join(kept, `${n}`), `${n}`.repeat(100))
  replace(join(folder, 'last'))
}

function replace(path: string): void {
  writeFileSync(join(folder, 'part'), String(n))
  renameSync(join(folder, 'part'), path)
}

async function store(): Promise<never> {
  for (;;) {
    const before = n
    await files.sync()
    say(`stored ${before}`)
  }
}

void store()
for (;;) {
  write()
  await delay(1)
}
