import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../gateway/testing/gateway.ts'
import { useStore } from './testing/use.ts'

const on = useStore()

/** The number of kills. More take longer and find rarer faults. */
const kills = Number(process.env['AGENT_FILES_KILLS'] ?? 20)

/** A kill happens within this time after the container began to restore, or after one of its first syncs. */
const longestMs = 300

const program = join(import.meta.dirname, 'testing/writing-program.ts')

/** Runs a container with a disk and kills it at a random moment. @returns the numbers that it printed */
async function runAndKill(disk: string, generation: number) {
  const child = spawn(process.execPath, [program, disk, on.store.origin, String(generation)], {
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      NODE_NO_WARNINGS: '1',
      // A kill leaves copies of databases there.
      TMPDIR: await on.disk(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
  const moment = ['begin', 'restored', 'stored', 'stored'][randomInt(4)] ?? ''
  await until(() => `\n${output}`.includes(`\n${moment} `) || child.exitCode !== null, 60_000)
  await delay(randomInt(longestMs))
  child.kill('SIGKILL')
  const [code, signal] = await once(child, 'close')
  expect({ code, signal, errors }).toEqual({ code: null, signal: 'SIGKILL', errors: '' })
  const numbers = (word: string) =>
    [...output.matchAll(new RegExp(`^${word} (\\d+)\\n`, 'gm'))].map(([, n]) => Number(n))
  return { restored: numbers('restored')[0], stored: numbers('stored').at(-1) ?? 0 }
}

/** The numbers that a container wrote between its restore and its last sync. */
interface Stored {
  after: number
  least: number
}

/** Checks the files of a disk, which must have at least what was stored. @returns the last number */
async function check(disk: string, { after, least }: Stored): Promise<number> {
  const folder = join(disk, 'workspace')
  const path = join(folder, 'data.db')
  if (!existsSync(path)) {
    expect(least).toBe(0)
    return 0
  }
  const database = new DatabaseSync(path)
  try {
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    const hasTable = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 't'`).get()
    if (hasTable === undefined) {
      expect(least).toBe(0)
      return 0
    }
    const rows = database.prepare('SELECT count(*) AS count FROM t WHERE n > ? AND n <= ?')
    const n = Number(database.prepare('SELECT max(n) AS n FROM t').get()?.['n'] ?? 0)
    // The program keeps the last 1,000 rows.
    const from = Math.max(after, Math.min(least, n - 1000))
    expect(rows.get(from, least)).toEqual({ count: least - from })
    expect(n).toBeGreaterThanOrEqual(least)
    const numberIn = async (name: string) => Number(await readFile(join(folder, name), 'utf8'))
    // A scan reads this file last, so the program had not come further when the others were read.
    const last = least > 0 ? await numberIn('last') : 0
    expect(last).toBeGreaterThanOrEqual(least)
    for (let at = Math.max(after + 1, least - 39); at <= least; at++)
      expect(await numberIn(`files/${at % 40}`)).toBeGreaterThanOrEqual(at)
    // The program empties the folder again after 350 numbers.
    const first = least - (least % 50)
    for (let at = Math.max(after + 1, first); at <= least && last < first + 340; at++) {
      const file = join(folder, `day ${Math.floor(at / 50) % 7}`, String(at))
      expect(await readFile(file, 'utf8')).toBe(`${at}`.repeat(100))
    }
    return n
  } finally {
    database.close()
  }
}

test(
  `${kills} kills at random moments lose nothing that was stored, and break nothing`,
  async () => {
    let disk = await on.disk()
    let stored: Stored = { after: 0, least: 0 }
    let generation = 1000
    for (let i = 0; i < kills; i++) {
      const ran = await runAndKill(disk, generation++)
      if (ran.stored > stored.least) stored = { after: ran.restored ?? 0, least: ran.stored }
      let rows = 0
      if (i % 2 === 0) {
        // On one machine, the disk stays: a start must not lose what was never stored.
        if (ran.restored !== undefined) rows = await check(disk, stored)
        const files = await on.open(disk, { generation: generation++ })
        expect(await check(disk, stored)).toBeGreaterThanOrEqual(rows)
        await files.close()
      }
      // Elsewhere, the disk is new.
      await rm(disk, { recursive: true })
      disk = await on.disk()
      await (await on.open(disk, { generation: generation++ })).close()
      expect(await check(disk, stored)).toBeGreaterThanOrEqual(rows)
      // No restore leaves temporary files.
      const names = await readdir(disk, { recursive: true })
      expect(names.filter((name) => name.includes('.files-'))).toEqual([])
    }
    expect(stored.least).toBeGreaterThan(0)
  },
  60_000 + kills * 20_000,
)
