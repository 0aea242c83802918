import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { changeItem } from '../table/change-item.ts'
import { commit, tryCommit } from '../table/commit.ts'
import { absent } from '../table/if-present.ts'
import { insertCounted } from '../table/insert-counted.ts'
import type { Table } from '../table/port.ts'
import { userStore } from '../table/user-store.ts'
import { audit, type AuditContext } from './audit.ts'
import { auditHeadRows, auditSortKey, auditRows } from './rows.ts'

let database: TestTable
let table: Table
let ada: string
let eve: string
let made = 0

beforeAll(async () => {
  database = await startTestTable()
  table = database.table
})
afterAll(() => database.close())
beforeEach(() => {
  made++
  ada = `usr_ada${made}`
  eve = `usr_eve${made}`
})

const context = (): AuditContext => ({ table, actor: { type: 'provider' }, requestId: 'req_1' })
const entry = (userId: string, after?: unknown) =>
  audit(context(), 'credits.granted', { userId, target: 'evt_1', after })
const row = (name: string) => ({ pk: `row#${made}#${name}`, sk: 'row' })
const seqsOf = async (userId: string) => (await auditOf(table, userId)).map(({ seq }) => seq)

/**
 * Computes the hash without code of the platform, as an external verifier would: the keys of a flat object are sorted,
 * as RFC 8785 requires.
 */
function hashOf(said: Readonly<Record<string, unknown>>): string {
  const sorted = Object.fromEntries(Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}

async function expectChain(userId: string, length: number) {
  let previous = '0'.repeat(64)
  const entries = await auditOf(table, userId)
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length }, (_, i) => i + 1))
  for (const { hash, id: _, ...said } of entries) {
    expect(said.previous).toBe(previous)
    expect(hash).toBe(hashOf(said))
    previous = hash
  }
  const head = await table.get(auditHeadRows.key({ userId }))
  expect(head).toMatchObject({ seq: length, hash: previous })
}

describe('an entry of the audit', () => {
  it('follows the last entry, in the transaction of its change', async () => {
    await commit(table, { row: { put: row('a') }, audit: await entry(ada, { credits: 5 }) })
    await commit(table, { row: { put: row('b') }, audit: await entry(ada) })
    await expectChain(ada, 2)
    const [first] = await auditOf(table, ada)
    expect(first).toMatchObject({ action: 'credits.granted', actor: 'provider', before: null })
    expect(first?.after).toBe(hashOf({ credits: 5 }))
  })

  it('is written together with other entries of its transaction, of one user and of two', async () => {
    await commit(table, {
      row: { put: row('a') },
      one: await entry(ada),
      two: await entry(eve),
      three: await entry(ada),
    })
    await Promise.all([expectChain(ada, 2), expectChain(eve, 1)])
  })

  it('is not written if the change is rejected, and the caller gets the rejection', async () => {
    await table.put({ ...row('a'), by: 'eve' })
    const parts = { row: { put: row('a'), ...absent() }, audit: await entry(ada) }
    expect(await tryCommit(table, parts)).toEqual({
      row: { item: expect.objectContaining({ by: 'eve' }) },
    })
    const taken = () => new Error('taken')
    await expect(commit(table, parts, { row: taken })).rejects.toThrow('taken')
    expect(await seqsOf(ada)).toEqual([])
  })

  it('is written with fifty concurrent entries of its user, without gaps', async () => {
    const change = async (i: number) =>
      commit(table, { row: { put: row(`${i}`), ...absent() }, audit: await entry(ada, { i }) })
    await Promise.all(Array.from({ length: 50 }, (_, i) => change(i)))
    await expectChain(ada, 50)
    expect(new Set((await auditOf(table, ada)).map(({ after }) => after)).size).toBe(50)
  })

  it('is written by changeItem and insertCounted, within the user’s store', async () => {
    const store = userStore(table, ada)
    const counter = { pk: `user#${ada}`, sk: 'counter' }
    const increment = () =>
      changeItem(store.row('thing'), async (current) => {
        const count = Number(current?.count ?? 0)
        return {
          put: { count: count + 1 },
          condition:
            current === undefined ? absent() : { if: '#count = :count', values: { count } },
          also: { audit: await entry(ada, { count }) },
        }
      })
    const insert = async (sk: string) =>
      insertCounted(store, {
        put: { pk: `user#${ada}`, sk },
        count: { in: counter, attribute: 'count', limit: 2 },
        also: { audit: await entry(ada) },
        limitReached: () => new Error('full'),
      })
    await Promise.all([...Array.from({ length: 8 }, increment), insert('one'), insert('two')])
    await expect(insert('three')).rejects.toThrow('full')
    await expectChain(ada, 10)
    expect(await store.get('thing')).toMatchObject({ count: 8 })
  })

  it('never overwrites an entry: a truncated chain stays truncated', async () => {
    for (const name of ['a', 'b'])
      await commit(table, { [name]: { put: row(name) }, audit: await entry(ada) })
    const [first] = await auditOf(table, ada)
    const cut = { seq: 1, hash: first?.hash }
    await table.update(auditHeadRows.key({ userId: ada }), { set: cut })
    const next = commit(table, { row: { put: row('c') }, audit: await entry(ada) })
    await expect(next).rejects.toThrow('audit')
    expect(await table.get(row('c'))).toBeUndefined()
    expect(await table.get(auditRows.key({ userId: ada, place: auditSortKey(3) }))).toBeUndefined()
  })
})
