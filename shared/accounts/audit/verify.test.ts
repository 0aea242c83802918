import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuditEntry,
  chainBeginning,
  nextEntry,
} from '#shared/platform/identity/audit-entry.ts'
import {
  auditHeadRows,
  auditSortKey,
  auditRows,
  headIndexKey,
} from '#shared/platform/identity/rows.ts'
import type { Item, Key, Table } from '#shared/platform/table/port.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { verifyChain } from './verify.ts'

let database: TestTable
let table: Table
let made = 0

beforeAll(async () => {
  database = await startTestTable()
  table = database.table
})
afterAll(() => database.close())

const keyOf = (userId: string, seq: number) => auditRows.key({ userId, place: auditSortKey(seq) })

const draft = (i: number) => ({
  actor: 'provider',
  action: 'credits.granted',
  target: `evt_${i}`,
  before: null,
  after: null,
  requestId: 'req_1',
})

/** A chain of entries after `from`, as verbs write it. */
async function chain(from: { seq: number; hash: string }, length: number): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for (let i = 0; i < length; i++)
    entries.push(await nextEntry(entries.at(-1) ?? from, draft(made + i), new Date().toISOString()))
  return entries
}

async function store(userId: string, entries: readonly AuditEntry[]) {
  const last = entries.at(-1)
  if (last === undefined) throw new Error('no entries')
  const { seq, hash, at } = last
  await table.transact([
    ...entries.map((entry) => ({
      put: auditRows.put({ userId, place: auditSortKey(entry.seq) }, entry),
    })),
    { put: auditHeadRows.put({ userId }, { userId, seq, hash, at }, headIndexKey(userId, at)) },
  ])
}

async function newChain(length: number) {
  const userId = `usr_${++made}`
  const entries = await chain(chainBeginning, length)
  await store(userId, entries)
  const published = new Map(entries.map(({ seq, hash }) => [seq, new Set([hash])]))
  return { userId, entries, published }
}

async function rowAt(key: Key): Promise<Item> {
  const item = await table.get(key)
  if (item === undefined) throw new Error('no row')
  return item
}

/** All ways to tamper with a chain of `length` entries in the table without computing new hashes. */
const tampering = (length: number) => {
  const seq = fc.integer({ min: 1, max: length })
  const text = fc.string({ minLength: 1, unit: 'grapheme-ascii' })
  const field = fc.constantFrom('seq', 'at', 'actor', 'action', 'target', 'requestId', 'before')
  return fc.oneof(
    fc.record({ kind: fc.constant('change' as const), seq, field, value: text }),
    fc.record({
      kind: fc.constant('hash' as const),
      seq,
      field: fc.constantFrom('hash', 'previous'),
    }),
    fc.record({ kind: fc.constant('add' as const), seq, field: fc.constant('more'), value: text }),
    fc.record({ kind: fc.constant('drop' as const), seq, field }),
    fc.record({ kind: fc.constant('remove' as const), seq }),
    fc.record({ kind: fc.constant('swap' as const), seq, other: seq, whole: fc.boolean() }),
    fc.record({ kind: fc.constant('insert' as const), seq }),
    fc.record({ kind: fc.constant('foreign' as const), seq, value: text }),
    fc.record({ kind: fc.constant('head' as const), seq }),
  )
}

type Tampering = ReturnType<typeof tampering> extends fc.Arbitrary<infer T> ? T : never

/** @returns whether anything has changed */
async function tamper(userId: string, length: number, act: Tampering): Promise<boolean> {
  const key = keyOf(userId, act.seq)
  switch (act.kind) {
    case 'change':
    case 'add':
      await table.update(key, { set: { [act.field]: `${act.value}!` } })
      return true
    case 'hash':
      await table.update(key, { set: { [act.field]: 'f'.repeat(64) } })
      return true
    case 'drop':
      await table.update(key, { remove: [act.field] })
      return true
    case 'remove':
      await table.delete(key)
      return true
    case 'swap': {
      const otherKey = keyOf(userId, act.other)
      const [one, other] = [await rowAt(key), await rowAt(otherKey)]
      // The order changes with and without the numbers.
      await table.put({ ...other, ...key, ...(!act.whole && { seq: one.seq }) })
      await table.put({ ...one, ...otherKey, ...(!act.whole && { seq: other.seq }) })
      return act.seq !== act.other
    }
    case 'insert': {
      for (let seq = length; seq >= act.seq; seq--)
        await table.put({
          ...(await rowAt(keyOf(userId, seq))),
          ...keyOf(userId, seq + 1),
          seq: seq + 1,
        })
      return true
    }
    case 'foreign':
      await table.put({ ...(await rowAt(key)), sk: `${key.sk}#${act.value}` })
      return true
    case 'head':
      await table.update(auditHeadRows.key({ userId }), { set: { seq: act.seq + length } })
      return true
  }
}

describe('a chain', () => {
  it('written by the platform is valid, also against its published heads', async () => {
    const { userId, published } = await newChain(12)
    expect(await verifyChain({ table }, { userId })).toEqual({ entries: 12, findings: [] })
    const report = await verifyChain({ table }, { userId, published })
    expect(report).toEqual({ entries: 12, findings: [] })
    expect(await verifyChain({ table }, { userId: 'usr_none' })).toEqual({
      entries: 0,
      findings: [],
    })
  })

  it('is rejected after any tampering in the table', async () => {
    const cases = fc
      .integer({ min: 1, max: 6 })
      .chain((length) => fc.record({ length: fc.constant(length), act: tampering(length) }))
    await fc.assert(
      fc.asyncProperty(cases, async ({ length, act }) => {
        const { userId } = await newChain(length)
        const changed = await tamper(userId, length, act)
        const { findings } = await verifyChain({ table }, { userId })
        expect(findings.length > 0).toBe(changed)
        for (const finding of findings) expect(finding.userId).toBe(userId)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    [
      'changed',
      { kind: 'change', seq: 2, field: 'actor', value: 'user:usr_eve' },
      2,
      /was changed/,
    ],
    ['removed', { kind: 'remove', seq: 2 }, 2, /is missing/],
    ['swapped', { kind: 'swap', seq: 2, other: 3, whole: true }, 2, /has the key of another entry/],
  ] as const)('reports the entry that was %s', async (_, act, seq, says) => {
    const { userId } = await newChain(4)
    await tamper(userId, 4, act)
    const { findings } = await verifyChain({ table }, { userId })
    expect(findings[0]).toEqual({ userId, seq, says: expect.stringMatching(says) })
  })

  it('a chain that was rewritten from any entry on, or truncated, contradicts the published heads', async () => {
    const cases = fc.record({
      keep: fc.integer({ min: 0, max: 4 }),
      more: fc.integer({ min: 0, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(cases, async ({ keep, more }) => {
        const { userId, entries, published } = await newChain(5)
        for (const { seq } of entries.slice(keep)) await table.delete(keyOf(userId, seq))
        const stored = entries.slice(0, keep)
        const forged = [...stored, ...(await chain(stored.at(-1) ?? chainBeginning, more))]
        await table.delete(auditHeadRows.key({ userId }))
        if (forged.length > 0) await store(userId, forged)
        expect((await verifyChain({ table }, { userId })).findings).toEqual([])
        const { findings } = await verifyChain({ table }, { userId, published })
        expect(findings[0]).toMatchObject({ userId, seq: keep + 1 })
      }),
      { numRuns: 40 },
    )
  })

  it('contradicts a log with two heads of one number', async () => {
    const { userId, entries } = await newChain(1)
    const published = new Map([[1, new Set([String(entries[0]?.hash), 'f'.repeat(64)])]])
    expect((await verifyChain({ table }, { userId, published })).findings).toHaveLength(1)
  })

  it('reports all missing fields of a row as one finding', async () => {
    const { userId } = await newChain(1)
    const far = 999_999_999_998
    await table.put({ ...(await rowAt(keyOf(userId, 1))), ...keyOf(userId, far), seq: far })
    const { findings } = await verifyChain({ table }, { userId })
    expect(findings).toContainEqual({ userId, seq: 2, to: far - 1, says: 'is missing' })
    expect(findings.length).toBeLessThan(6)
  })

  it('is reported as missing for an existing account', async () => {
    const input = { userId: 'usr_none', hasProfile: true }
    expect((await verifyChain({ table }, input)).findings).toMatchObject([{ seq: 1 }])
  })
})
