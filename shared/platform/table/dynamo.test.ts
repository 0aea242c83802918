import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '../../../tests/support/table.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it('finds the item of the longest key, and nothing under a longer one', async () => {
  const { table } = database
  const key = { pk: 'p'.repeat(2048), sk: 's'.repeat(1024) }
  await table.put({ ...key, value: 1 })
  expect(await table.get(key)).toEqual({ ...key, value: 1 })
  expect(await table.get({ pk: `${key.pk}p`, sk: 's' })).toBeUndefined()
  expect(await table.get({ pk: 'p', sk: `${key.sk}s` })).toBeUndefined()
  expect(await table.get({ pk: 'p', sk: 'é'.repeat(600) })).toBeUndefined()
})
