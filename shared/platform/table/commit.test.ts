import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { changeItem } from './change-item.ts'
import { commit, numbered, type Parts, TransactionRefused, tryCommit } from './commit.ts'
import { deleteCounted } from './delete-counted.ts'
import { absent, ifPresent } from './if-present.ts'
import { type Counter, insertCounted } from './insert-counted.ts'
import type { Key, Table } from './port.ts'
import { userStore } from './user-store.ts'

let database: TestTable
let table: Table
let made = 0

beforeAll(async () => {
  database = await startTestTable()
  table = database.table
})
afterAll(() => database.close())

const newKey = (): Key => ({ pk: `row#${++made}`, sk: 'row' })
const count = async (key: Key) => Number((await table.get(key))?.count ?? 0)

describe('a commit', () => {
  it('writes every part, and skips undefined ones', async () => {
    const [one, two] = [newKey(), newKey()]
    await commit(table, { one: { put: { ...one } }, none: undefined, two: { put: { ...two } } })
    expect(await table.getMany([one, two])).toEqual([one, two])
  })

  it('throws the error of the rejected part, in any position, and writes nothing', async () => {
    const [received, other] = [newKey(), newKey()]
    await table.put({ ...received, by: 'ada' })
    const error = new Error('taken')
    for (const parts of [
      { taken: { put: { ...received }, ...absent() }, other: { put: { ...other, n: 1 } } },
      { other: { put: { ...other, n: 1 } }, taken: { put: { ...received }, ...absent() } },
    ])
      await expect(commit(table, parts, { taken: () => error })).rejects.toBe(error)
    expect(await table.get(other)).toBeUndefined()
  })

  it('returns the current item of the rejected part, and throws the first of several errors', async () => {
    const [a, b] = [newKey(), newKey()]
    await table.put({ ...a, by: 'ada' })
    await table.put({ ...b, by: 'bob' })
    const parts = { a: { put: { ...a }, ...absent() }, b: { put: { ...b }, ...absent() } }
    await expect(
      commit(table, parts, {
        b: (item) => new Error(`b is ${String(item?.by)}`),
        a: () => new Error('a is taken'),
      }),
    ).rejects.toThrow('b is bob')
    expect(await tryCommit(table, parts)).toMatchObject({
      a: { item: { by: 'ada' } },
      b: { item: { by: 'bob' } },
    })
  })

  it('returns the rejected parts if no error is declared for them', async () => {
    const key = newKey()
    await expect(
      commit(table, { row: { check: key, if: 'attribute_exists(pk)' } }),
    ).rejects.toMatchObject({ refusals: { row: { item: undefined } } })
    await expect(commit(table, { row: { check: key, ...ifPresent() } })).rejects.toThrow(
      TransactionRefused,
    )
  })

  it('succeeds in spite of concurrent transactions on the same row', async () => {
    const key = newKey()
    const add = { update: key, add: { count: 1 } }
    await Promise.all(
      Array.from({ length: 12 }, () =>
        commit(table, { add, ...numbered('row', [{ put: { ...newKey() } }]) }),
      ),
    )
    expect(await count(key)).toBe(12)
  })
})

describe('an expired item', () => {
  it('is absent to conditions and reads, whether or not it was deleted', async () => {
    const key = newKey()
    const at = Math.floor(Date.now() / 1000) + 1000
    await table.put({ ...key, expiresAt: at })
    const later = at * 1000 + 1
    await expect(table.put({ ...key }, absent())).rejects.toThrow('condition')
    await commit(table, { row: { check: key, ...ifPresent() } })
    await expect(commit(table, { row: { check: key, ...ifPresent(later) } })).rejects.toThrow(
      TransactionRefused,
    )
    await table.put({ ...key, second: true }, absent(later))
    expect(await table.get(key)).toMatchObject({ second: true })
  })
})

describe('a compare and set', () => {
  it('retries with the new value of another writer, so that no change is lost', async () => {
    const key = newKey()
    const increment = () =>
      changeItem({ table, key }, (current) => {
        const before = Number(current?.count ?? 0)
        return {
          update: {
            set: { count: before + 1 },
            ...(current === undefined
              ? { if: 'attribute_not_exists(pk)' }
              : { if: '#count = :before', values: { before } }),
          },
        }
      })
    await Promise.all(Array.from({ length: 8 }, increment))
    expect(await count(key)).toBe(8)
  })

  it('writes additional parts in the same transaction, and throws their errors', async () => {
    const [key, other] = [newKey(), newKey()]
    const change = (also: boolean) =>
      changeItem(
        { table, key },
        () => ({
          put: { also },
          condition: absent(),
          also: { other: { check: other, ...(also ? ifPresent() : absent()) } },
        }),
        { errors: { other: () => new Error('no other') } },
      )
    await expect(change(true)).rejects.toThrow('no other')
    expect(await table.get(key)).toBeUndefined()
    expect(await change(false)).toBe(true)
    expect(await table.get(key)).toEqual({ ...key, also: false })
  })

  it('retries if a part is rejected that depends on data that the decision has read', async () => {
    const [key, other] = [newKey(), newKey()]
    await table.put({ ...other, count: 0 })
    const increment = () =>
      changeItem(
        { table, key },
        async (current) => {
          const [before, observed] = [Number(current?.count ?? 0), await count(other)]
          return {
            update: {
              set: { count: before + 1 },
              if: 'attribute_not_exists(#count) OR #count = :before',
              values: { before },
            },
            also: {
              other: {
                update: other,
                set: { count: observed + 1 },
                if: '#count = :seen',
                values: { seen: observed },
              },
            },
          }
        },
        { again: ['other'] },
      )
    const rival = () => table.update(other, { add: { count: 1 } })
    await Promise.all([...Array.from({ length: 4 }, increment), rival(), rival()])
    expect([await count(key), await count(other)]).toEqual([4, 6])
  })

  it('rejects a second part with the key of the row', async () => {
    const [key, other] = [newKey(), newKey()]
    const change = (also: Parts) =>
      changeItem({ table, key }, () => ({ put: {}, condition: absent(), also }))
    await expect(change({ row: { put: { ...other, n: 1 } } })).rejects.toThrow(
      'two parts are named row',
    )
    const count = { in: key, attribute: 'n', limit: 1 }
    const also = { counter: { put: { ...other, n: 1 } } }
    const limitReached = () => new Error('full')
    const insert = insertCounted(table, { put: { ...newKey() }, count, also, limitReached })
    await expect(insert).rejects.toThrow('two parts are named counter')
    expect(await Promise.all([table.get(key), table.get(other)])).toEqual([undefined, undefined])
    expect(await change({ row: undefined, other: { put: { ...other, n: 1 } } })).toBe(true)
  })

  it('writes nothing if the decision changes nothing', async () => {
    expect(await changeItem({ table, key: newKey() }, () => undefined)).toBe(false)
  })
})

describe('a counted insert', () => {
  const insert = (put: Key, counter: Key, limit = 3, more: Pick<Counter, 'if' | 'gone'> = {}) =>
    insertCounted(table, {
      put: { ...put },
      count: { in: counter, attribute: 'count', limit, ...more },
      limitReached: () => new Error(`${limit} of ${limit}`),
    })

  it('holds its limit under concurrent inserts', async () => {
    const counter = newKey()
    const all = Array.from({ length: 9 }, () => insert(newKey(), counter))
    const settled = await Promise.allSettled(all)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await count(counter)).toBe(3)
    await expect(insert(newKey(), counter)).rejects.toThrow('3 of 3')
  })

  it('is rejected if the counting row is missing, and creates nothing', async () => {
    const [row, counter] = [newKey(), newKey()]
    const gone = () => new Error('there is no counter')
    const made = insert(row, counter, 3, { if: 'attribute_exists(pk)', gone })
    await expect(made).rejects.toThrow('there is no counter')
    expect([await table.get(row), await table.get(counter)]).toEqual([undefined, undefined])
  })

  it('counts a repeated create once and returns the first result, also at the limit', async () => {
    const [row, counter] = [newKey(), newKey()]
    expect(await insert(row, counter, 1)).toBeUndefined()
    expect(await insert(row, counter, 1)).toEqual(row)
    expect(await count(counter)).toBe(1)
  })
})

describe('a counted delete', () => {
  const start = async () => {
    const [row, counter] = [newKey(), newKey()]
    await table.put({ ...row, kind: 'a' })
    await table.put({ ...counter, count: 2 })
    return { row, counter }
  }
  const remove = (row: Key, counter: Key, kind?: string) =>
    deleteCounted(table, {
      delete: row,
      count: { in: counter, attribute: 'count' },
      ...(kind !== undefined && { only: { if: '#kind = :kind', values: { kind } } }),
    })

  it('decrements its counter once under concurrent deletes', async () => {
    const { row, counter } = await start()
    const all = await Promise.all(Array.from({ length: 4 }, () => remove(row, counter)))
    expect(all.toSorted()).toEqual([false, false, false, true])
    expect([await table.get(row), await count(counter)]).toEqual([undefined, 1])
  })

  it('deletes nothing if its condition refuses the row', async () => {
    const { row, counter } = await start()
    expect(await remove(row, counter, 'b')).toBe(false)
    expect([await table.get(row), await count(counter)]).toEqual([{ ...row, kind: 'a' }, 2])
    expect(await remove(row, counter, 'a')).toBe(true)
    expect(await count(counter)).toBe(1)
  })

  it('deletes the row alone if the counting row is missing, and writes no counter', async () => {
    const { row } = await start()
    const counter = newKey()
    expect(await remove(row, counter)).toBe(true)
    expect(await remove(row, counter)).toBe(false)
    expect([await table.get(row), await table.get(counter)]).toEqual([undefined, undefined])
  })
})

describe('within a user’s store', () => {
  const rowOf = (userId: string, sk: string) => ({ pk: `user#${userId}`, sk })

  it('changes a row of the user, and nothing if another user’s row is written with it', async () => {
    const store = userStore(table, 'usr_ada')
    const change = (also: Key) =>
      changeItem(store.row('thing'), () => ({
        put: { also: also.pk },
        condition: absent(),
        also: { other: { put: { ...also } } },
      }))
    await expect(change(rowOf('usr_eve', 'thing'))).rejects.toThrow(TypeError)
    expect(await store.get('thing')).toBeUndefined()
    expect(await change(rowOf('usr_ada', 'other'))).toBe(true)
    expect(await store.get('thing')).toMatchObject({ also: 'user#usr_ada' })
    expect(await changeItem(store.row('thing'), () => ({ delete: ifPresent() }))).toBe(true)
    expect(await store.get('thing')).toBeUndefined()
  })

  it('does not count a row of the user in a row of another user', async () => {
    const store = userStore(table, 'usr_bob')
    const insert = (counter: Key) =>
      insertCounted(store, {
        put: rowOf('usr_bob', 'thing'),
        count: { in: counter, attribute: 'count', limit: 1 },
        limitReached: () => new Error('full'),
      })
    await expect(insert(rowOf('usr_eve', 'counter'))).rejects.toThrow(TypeError)
    expect(await store.get('thing')).toBeUndefined()
    await insert(rowOf('usr_bob', 'counter'))
    expect(await store.get('counter')).toMatchObject({ count: 1 })
  })
})
