import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { audit } from '#shared/platform/identity/audit.ts'
import { auditHeadRows } from '#shared/platform/identity/rows.ts'
import type { Log } from '#shared/platform/log.ts'
import { commit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { publishHeads } from './publish.ts'
import { publishedHeads } from './published-heads.ts'

let database: TestTable
let table: Table
let lines: string[]

beforeAll(async () => {
  database = await startTestTable()
  table = database.table
})
afterAll(() => database.close())
beforeEach(() => {
  lines = []
})

const write = (message: string, fields?: object) =>
  void lines.push(`2026-11-22 INFO ${JSON.stringify({ message, ...fields })}`)
const log: Log = { info: write, warn: write, error: write }

async function add(userId: string) {
  const change = { userId, target: 'evt_1' }
  const entry = await audit(eventContext(table), 'credits.granted', change)
  await commit(table, { entry })
}

const headOf = async (userId: string) =>
  auditHeadRows.parse((await table.get(auditHeadRows.key({ userId }))) ?? { pk: '', sk: '' })

const hour = 60 * 60_000
const tick = (now: number, of = table) => publishHeads({ table: of, log }, now)

describe('the publication of heads', () => {
  it('logs each changed chain once, and the others once a week', async () => {
    for (const userId of ['usr_a', 'usr_b', 'usr_a']) await add(userId)
    const [a, b] = [await headOf('usr_a'), await headOf('usr_b')]
    const now = Date.now() + 1
    expect(await tick(now)).toEqual({ published: 2 })
    const published = new Map([
      ['usr_a', new Map([[2, new Set([a.hash])]])],
      ['usr_b', new Map([[1, new Set([b.hash])]])],
    ])
    expect(publishedHeads(lines)).toEqual(published)
    expect(await tick(now + hour)).toEqual({ published: 0 })
    await add('usr_b')
    expect(await tick(Date.now() + hour)).toEqual({ published: 1 })
    expect([...(publishedHeads(lines).get('usr_b')?.keys() ?? [])]).toEqual([1, 2])
    expect(await tick(now + 8 * 24 * hour)).toEqual({ published: 2 })
  })

  it('is repeated after a kill in the middle, and loses no head', async () => {
    for (let i = 0; i < 30; i++) await add(`usr_kill${i}`)
    const now = Date.now() + 1
    for (let requests = 0; requests < 24; requests += 6)
      await expect(tick(now, killedProcess({ calls: requests }).reach(table))).rejects.toThrow(
        Killed,
      )
    await tick(now)
    const published = publishedHeads(lines)
    for (let i = 0; i < 30; i++) {
      const { seq, hash } = await headOf(`usr_kill${i}`)
      expect(published.get(`usr_kill${i}`)).toEqual(new Map([[seq, new Set([hash])]]))
    }
    expect(await tick(now)).toEqual({ published: 0 })
  })
})

describe('published heads', () => {
  it('are read from the lines of any log', () => {
    const others = [
      '',
      'audit heads',
      '{"message":"audit heads"',
      '{"message":"audit heads","heads":7}',
    ]
    expect(publishedHeads(others)).toEqual(new Map())
  })
})
