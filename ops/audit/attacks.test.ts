import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { headsMessage } from '#shared/accounts/audit/published-heads.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { chainBeginning, nextEntry } from '#shared/platform/identity/audit-entry.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import {
  auditHeadRows,
  auditSortKey,
  auditRows,
  headIndexKey,
} from '#shared/platform/identity/rows.ts'
import { commit } from '#shared/platform/table/commit.ts'
import type { Item, Key } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { runHere } from '#tests/support/programs/run-here.ts'

let database: TestTable
let dir: string
let users = 0

beforeAll(async () => {
  database = await startTestTable()
  dir = await mkdtemp(join(tmpdir(), 'audit-attacks-'))
})
afterAll(() => Promise.all([database.close(), rm(dir, { recursive: true })]))

const profileOf = (userId: string): Key => ({ pk: userPartition(userId), sk: profileKey })
const headOf = (userId: string) => auditHeadRows.key({ userId })
const entryOf = (userId: string, seq: number) => auditRows.key({ userId, place: auditSortKey(seq) })

async function read(key: Key): Promise<Item> {
  const row = await database.table.get(key)
  if (row === undefined) throw new Error('no row')
  return row
}

const remove = (...keys: Key[]) => Promise.all(keys.map((key) => database.table.delete(key)))

/** Swaps the items of two keys, each with the keys of its new place. */
async function swap(one: Key, other: Key, own: (at: Key, from: Item) => object = () => ({})) {
  const [first, second] = [await read(one), await read(other)]
  await database.table.put({ ...second, ...one, ...own(one, first) })
  await database.table.put({ ...first, ...other, ...own(other, second) })
}

const placeOf = (_at: Key, { userId, gsi1pk, gsi1sk }: Item) => ({ userId, gsi1pk, gsi1sk })

/** Creates an account with three audit entries. */
async function account(): Promise<string> {
  const userId = `usr_${++users}`
  for (const action of ['account.created', 'key.created', 'key.deleted'] as const) {
    const change = { userId, target: action === 'account.created' ? userId : 'key_1' }
    const profile = { put: { ...profileOf(userId) } }
    await commit(database.table, {
      entry: await audit(eventContext(database.table), action, change),
      ...(action === 'account.created' && { profile }),
    })
  }
  return userId
}

/** Rewrites the entries from a number on, with their head. */
async function forge(userId: string, from: number, to: number) {
  let end = from === 1 ? chainBeginning : auditRows.parse(await read(entryOf(userId, from - 1)))
  for (let seq = from; seq <= 3; seq++) await remove(entryOf(userId, seq))
  for (let seq = from; seq <= to; seq++) {
    const said = {
      actor: 'provider',
      action: 'key.created',
      target: 'k',
      before: null,
      after: null,
    }
    const entry = await nextEntry(end, { ...said, requestId: 'req_1' }, new Date().toISOString())
    await database.table.put(auditRows.put({ userId, place: auditSortKey(seq) }, entry))
    end = entry
  }
  const { seq, hash } = end
  if (seq === 0) return remove(headOf(userId))
  const at = new Date().toISOString()
  return database.table.put(
    auditHeadRows.put({ userId }, { userId, seq, hash, at }, headIndexKey(userId, at)),
  )
}

const inYears = '2099-01-01T00:00:00.000Z'

const found = [
  [
    'an entry is changed',
    'entry 2 was changed',
    (one: string) => database.table.update(entryOf(one, 2), { set: { target: 'key_2' } }),
  ],
  ['the first is removed', 'entry 1 is missing', (one: string) => remove(entryOf(one, 1))],
  ['one in the middle is removed', 'entry 2 is missing', (one: string) => remove(entryOf(one, 2))],
  ['the last is removed', 'entry 3 is missing', (one: string) => remove(entryOf(one, 3))],
  [
    'all are removed',
    'entry 1 to 3 is missing',
    (one: string) => remove(...[1, 2, 3].map((seq) => entryOf(one, seq))),
  ],
  [
    'all are removed with the head',
    'entry 1 is missing: the account exists without an audit',
    (one: string) => forge(one, 1, 0),
  ],
  [
    'two change places',
    'entry 2 has the key of another entry',
    (one: string) => swap(entryOf(one, 2), entryOf(one, 3)),
  ],
  [
    'the head is rolled back',
    'entry 3 comes after the head',
    async (one: string) => {
      const { hash } = await read(entryOf(one, 2))
      await database.table.update(headOf(one), { set: { seq: 2, hash } })
    },
  ],
  ['the head is removed', 'entry 3 is the last entry, but', (one: string) => remove(headOf(one))],
  [
    'the head is taken out of the index',
    'entry 3 has a head that is not listed',
    (one: string) => database.table.update(headOf(one), { remove: ['gsi1pk', 'gsi1sk'] }),
  ],
  [
    'the head is put off for years',
    'entry 3 has a head that is not listed',
    (one: string) => {
      const { gsi1sk } = headIndexKey(one, inYears)
      return database.table.update(headOf(one), { set: { gsi1sk } })
    },
  ],
  [
    'the head is scheduled for publication as another user’s',
    'entry 3 has a head that is published for the user',
    (one: string, other: string) => database.table.update(headOf(one), { set: { userId: other } }),
  ],
  [
    'an entry changes place with another user’s',
    'entry 2 does not contain the hash',
    (one: string, other: string) => swap(entryOf(one, 2), entryOf(other, 2)),
  ],
  [
    'the whole chain changes place with another user’s',
    'entry 1 belongs to the account of another user',
    async (one: string, other: string) => {
      for (const seq of [1, 2, 3]) await swap(entryOf(one, seq), entryOf(other, seq))
      await swap(headOf(one), headOf(other), placeOf)
    },
  ],
  [
    'the account is removed',
    'entry 1 belongs to an account that does not exist',
    (one: string) => remove(profileOf(one)),
  ],
] as const

/** Attacks that only a comparison with the published heads can detect: each of these chains is consistent in itself. */
const foundByHeads = [
  ['the last is removed and the head goes back', (one: string) => forge(one, 3, 2)],
  ['it is made anew from an entry on', (one: string) => forge(one, 2, 3)],
  [
    'it is removed with its account',
    async (one: string) => {
      await forge(one, 1, 0)
      await remove(profileOf(one))
    },
  ],
] as const

/** Writes the published heads of these users to a file. */
async function publish(...userIds: string[]): Promise<string> {
  const heads = await Promise.all(
    userIds.map(async (userId) => {
      const { seq, hash } = await read(headOf(userId))
      return [userId, seq, hash]
    }),
  )
  const file = join(dir, `${userIds.join('-')}.jsonl`)
  await writeFile(file, JSON.stringify({ message: headsMessage, heads }))
  return file
}

const run = (...parameters: string[]) =>
  runHere({
    module: join(import.meta.dirname, 'main.ts'),
    folder: dir,
    parameters,
    environment: {
      ...process.env,
      TABLE_NAME: database.tableName,
      DYNAMODB_ENDPOINT: database.endpoint,
    },
  })

it.each(found)('tampering is detected, with and without heads: %s', async (_, says, attack) => {
  const [one, other] = [await account(), await account()]
  const heads = await publish(one, other)
  await attack(one, other)
  const without = await run('--user', one)
  const beside = await run('--user', one, '--heads', heads)
  for (const { code, said } of [without, beside])
    expect([code, said]).toEqual([1, expect.stringContaining(`${one} ${says}`)])
  expect(without.said).toContain(`heads: 0; not compared: 1 (${one})`)
  expect(beside.said).toContain('heads: 1; not compared: 0')
})

it.each(foundByHeads)('tampering is detected with heads: %s', async (_, attack) => {
  const one = await account()
  const heads = await publish(one)
  await attack(one)
  const { code, said } = await run('--user', one, '--heads', heads)
  expect([code, said]).toEqual([1, expect.stringContaining(`${one} entry `)])
  // Without them, the program never reports a success.
  expect((await run('--user', one)).code).toBe(2)
})

it('names accounts without published heads', async () => {
  const [one, other] = [await account(), await account()]
  const { said } = await run('--heads', await publish(one))
  expect(said).toMatch(/compared with published heads: 1; not compared: \d+ \(.*\)/)
  expect((await run('--user', other, '--heads', await publish(one))).said).toContain(
    `not compared: 1 (${other})`,
  )
})
