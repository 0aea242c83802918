import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { newId } from '../ids.ts'
import { ConditionFailed, type Table, TransactionFailed } from './port.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.integer().map((n) => n / 8),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 5 }),
    fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)),
    fc
      .uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 })
      .map((s) => new Set(s)),
    fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 3 }).map((n) => new Set(n)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('B', 'BS', 'N', 'é', 'x'), tie('value')),
  ),
}))

/** Returns the error that a caller gets. */
async function failing(run: () => Promise<unknown>): Promise<unknown> {
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ConditionFailed) return { condition: error.item }
  if (error instanceof TransactionFailed) return { reasons: error.reasons }
  return error instanceof Error ? { name: error.name, message: error.message } : error
}

describe('the table without a network connection', () => {
  it('stores and returns every value as over the network', async () => {
    const { byClient: table, table: inProcess } = database
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const keys = ['a', 'b'].map((sk) => ({ pk: newId('row'), sk }))
        const [one = { pk: '', sk: '' }, two = { pk: '', sk: '' }] = keys
        await table.put({ ...one, given })
        await inProcess.put({ ...two, given })
        const read = async (by: Table, key: typeof one) => (await by.get(key))?.['given']
        const byWire = await read(table, one)
        expect(await read(inProcess, one)).toEqual(byWire)
        expect(await read(inProcess, two)).toEqual(byWire)
        expect(await read(table, two)).toEqual(byWire)
      }),
      { numRuns: 60 },
    )
  })

  /** Runs every operation of the port, and returns the result of each step. */
  async function history(table: Table, pk: string): Promise<unknown[]> {
    const key = (sk: string) => ({ pk, sk })
    const observed: unknown[] = []
    const see = async (run: () => Promise<unknown>) => {
      let answer: unknown
      const failed = await failing(async () => {
        answer = await run()
      })
      observed.push(failed ?? answer)
    }
    await see(() => table.get(key('1')))
    await see(() => table.put({ ...key('1'), n: 1, gone: undefined, gsi1pk: pk, gsi1sk: 'z' }))
    await see(() => table.put({ ...key('1'), n: 9 }, { if: 'attribute_not_exists(pk)' }))
    await see(() =>
      table.update(key('1'), {
        add: { n: 2 },
        set: { text: 'é' },
        if: '#n = :n',
        values: { n: 1 },
      }),
    )
    await see(() => table.update(key('1'), { add: { n: 2 }, if: '#n = :n', values: { n: 1 } }))
    await see(() =>
      table.update(key('2'), { expression: '#l = :l', values: { l: [1, { a: null }] } }),
    )
    await see(() => table.update(key('1'), { expression: 'nonsense' }))
    await see(() => table.put({ ...key('3'), text: 'x'.repeat(401 * 1024) }))
    await see(() => table.put({ ...key('3'), expiresAt: 1 }))
    await see(() => table.get(key('3')))
    await see(() => table.getMany([key('2'), key('none'), key('1'), key('3')]))
    const page = { pk, limit: 1 }
    await see(() => table.query(page))
    await see(() => table.query({ ...page, after: key('1') }))
    await see(() =>
      table.query({ ...page, descending: true, filter: '#n > :least', values: { least: 0 } }),
    )
    await see(() => table.query({ index: 'gsi1', pk, beginsWith: 'z', select: ['n', 'text'] }))
    const writes = [
      { put: { ...key('4'), n: 1 }, if: 'attribute_not_exists(pk)' },
      { update: key('1'), add: { n: 1 } },
      { delete: key('2') },
      { check: key('5'), if: 'attribute_not_exists(pk)' },
    ]
    const token = newId('tok').slice(0, 36)
    await see(() => table.transact(writes, token))
    await see(() => table.transact(writes, token))
    await see(() => table.transact([{ update: key('1'), add: { n: 1 } }], token))
    await see(() => table.transact(writes))
    await see(() => table.getMany(['1', '2', '4', '5'].map(key)))
    await see(() => table.delete(key('4'), { if: '#n = :n', values: { n: 2 } }))
    await see(() => table.delete(key('4')))
    await see(() => table.delete(key('4')))
    return JSON.parse(JSON.stringify(observed).replaceAll(pk, 'PK')) as unknown[]
  }

  it('behaves the same for all writes, reads, conditions and transactions', async () => {
    const { byClient: table, table: inProcess } = database
    const byWire = await history(table, newId('usr'))
    expect(await history(inProcess, newId('usr'))).toEqual(byWire)
    expect(byWire).toContainEqual({ condition: expect.objectContaining({ n: 3 }) as unknown })
    expect(byWire).toContainEqual({ reasons: expect.any(Array) as unknown })
    expect(byWire).toContainEqual(expect.objectContaining({ name: 'ValidationException' }))
    expect(byWire).toContainEqual(
      expect.objectContaining({ name: 'IdempotentParameterMismatchException' }),
    )
  })
})
