import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyCharacter } from '#tests/support/platform/any-character.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { newId } from '../ids.ts'
import { newestPage } from './pages.ts'
import { userPartition, userStore } from './user-store.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const beginsWith = 'thing#'

/** A user with `count` items, and other rows before and after them. */
async function stored(count: number, kilobytes = 0) {
  const { table } = database
  const userId = newId('usr')
  const store = userStore(table, userId)
  const names = Array.from(
    { length: count },
    (_, i) => `${beginsWith}${String(i).padStart(3, '0')}`,
  )
  const text = 'x'.repeat(kilobytes * 1024)
  for (const sk of ['thing', ...names, 'things#1', 'zone#1']) await store.put(sk, { text })
  return { store, newestFirst: names.toReversed() }
}

/** Reads all pages of the list, one after the other. */
async function walk(store: ReturnType<typeof userStore>, limit: number) {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const { items, next } = await newestPage(store, { beginsWith, limit, cursor })
    pages.push(items.map(({ sk }) => sk))
    cursor = next
  } while (cursor !== undefined)
  return pages
}

it('the pages of a list contain each row once, newest first, and no page is empty unless the list is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(12), fc.integer({ min: 1, max: 14 }), async (count, limit) => {
      const { store, newestFirst } = await stored(count)
      const pages = await walk(store, limit)
      expect(pages.flat()).toEqual(newestFirst)
      expect(pages).toHaveLength(Math.max(1, Math.ceil(count / limit)))
    }),
    { numRuns: 25 },
  )
})

it('a page is complete even if its rows exceed one table response', async () => {
  const { store, newestFirst } = await stored(8, 300)
  expect(await walk(store, 7)).toEqual([newestFirst.slice(0, 7), newestFirst.slice(7)])
})

it('a forged cursor returns only the user’s rows of the list', async () => {
  const { store, newestFirst } = await stored(3)
  const other = await stored(3)
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ maxLength: 40 }),
        fc.string({ unit: anyCharacter, maxLength: 40 }),
        fc.constantFrom('', '~', `#${userPartition(other.store.userId)}`, '\u0000'),
      ),
      async (text) => {
        const cursor = Buffer.from(text).toString('base64url')
        const { items } = await newestPage(store, { beginsWith, limit: 100, cursor })
        for (const { pk, sk } of items) {
          expect(pk).toBe(userPartition(store.userId))
          expect(newestFirst).toContain(sk)
        }
      },
    ),
    { numRuns: 50 },
  )
})
