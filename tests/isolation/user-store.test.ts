import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Item, Query } from '#shared/platform/table/port.ts'
import { platformOwner, userStore } from '#shared/platform/table/user-store.ts'
import { anyCharacter } from '../support/platform/any-character.ts'
import { startTestTable, type TestTable } from '../support/platform/table.ts'

const victim = 'usr_b'
const secret = 'only for usr_b'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
  const store = userStore(database.table, victim)
  for (const sk of ['profile', 'agent#agt_1', 'session#0', 'message#'])
    await store.put(sk, { secret, gsi1pk: 'agents#0', gsi1sk: sk })
  await userStore(database.table, 'usr_a').put('profile', { own: true })
})
afterAll(() => database.close())

/** Texts that an attacker on another user's rows would try, and random texts. */
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.constantFrom(
    victim,
    `user#${victim}`,
    `usr_a#profile`,
    `usr_a\u0000${victim}`,
    `${victim}#`,
    `#${victim}`,
    `../${victim}`,
    'USR_B',
    'usr_\uFF42',
    '__proto__',
    'constructor',
    'toString',
    platformOwner,
    '@other',
    '',
    ' ',
    'profile',
    'agent#agt_1',
  ),
)

/** DynamoDB refuses some keys, such as empty ones; only its results count. */
async function attempt<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (/ValidationException|TypeError/.test((error as Error).name)) return undefined
    throw error
  }
}

async function victimRows(): Promise<Item[]> {
  return (await database.table.query({ pk: `user#${victim}` })).items
}

describe('a user’s store', () => {
  it('reads no row of another user by any id', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (sk, low, high) => {
        const store = userStore(database.table, 'usr_a')
        const queries: Omit<Query, 'pk' | 'index'>[] = [
          { beginsWith: sk },
          { between: [low, high] },
          { after: { pk: `user#${victim}`, sk } },
          { filter: '#secret = :secret OR #pk = :low', values: { secret, low } },
          // A value may have the same name as a key's field.
          { values: { pk: `user#${victim}` } },
        ]
        const found = [
          await attempt(() => store.get(sk)),
          ...(await Promise.all(queries.map((query) => attempt(() => store.query(query))))).flatMap(
            (page) => page?.items,
          ),
        ]
        for (const item of found.filter((item) => item !== undefined))
          expect(item).toMatchObject({ pk: 'user#usr_a' })
      }),
      { numRuns: 150 },
    )
  })

  it('writes no row of another user, even if a row names another owner', async () => {
    const before = await victimRows()
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (sk, value) => {
        const store = userStore(database.table, 'usr_a')
        const attributes = { pk: `user#${victim}`, sk: 'profile', secret: value }
        await attempt(() => store.put(sk, attributes))
        await attempt(() => store.update(sk, { set: { pk: `user#${victim}` } }))
        await attempt(() => store.update(sk, { set: { secret: value } }))
        await attempt(() => store.delete(sk))
        await attempt(() =>
          store.transact([userStore(database.table, victim).write.delete('profile')]),
        )
        await attempt(() =>
          database.table.transact([
            store.write.put(`${sk}1`, attributes),
            store.write.update(`${sk}2`, { set: { secret: value } }),
            store.write.delete(`${sk}3`),
          ]),
        )
      }),
      { numRuns: 60 },
    )
    expect(await victimRows()).toEqual(before)
  })

  it('requires an id that is exactly one user’s', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (userId) => {
        fc.pre(userId !== victim)
        const page = await attempt(async () => userStore(database.table, userId).query({}))
        for (const item of page?.items ?? []) expect(item.secret).not.toBe(secret)
      }),
      { numRuns: 300 },
    )
  })

  it.each(['', '#', 'usr_a#profile', 'a\nb', '@other', 'ö', 'a'.repeat(129), 'usr a'])(
    'rejects %j as a user id',
    (userId) => {
      expect(() => userStore(database.table, userId)).toThrow(TypeError)
    },
  )
})
