import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '../../../tests/support/table.ts'
import { newSeed } from '../../platform/ids.ts'
import type { Table } from '../../platform/table/port.ts'
import { claim } from './record.ts'

let database: TestTable
/** The answer to every first write is lost, and the write is made again, as DynamoDB's client does. */
let lossy: Table

beforeAll(async () => {
  database = await startTestTable()
  const { table } = database
  lossy = {
    ...table,
    update: async (key, update) => {
      await table.update(key, update)
      return table.update(key, update)
    },
  }
})
afterAll(() => database.close())

const request = (key: string, seed = newSeed()) => ({
  actor: 'user:1',
  key,
  request: 'GET /',
  seed,
})

it('a claim whose answer was lost is known again by the one who made it, and by nobody else', async () => {
  const seed = newSeed()
  expect(await claim(lossy, request('lost', seed))).toMatchObject({ seed })
  await expect(claim(database.table, request('lost'))).rejects.toMatchObject({
    code: 'IDEMPOTENCY_IN_PROGRESS',
  })
})

it('so is the claim of a retry, which goes on under the seed of the first', async () => {
  const seed = newSeed()
  const first = await claim(database.table, request('again', seed))
  if (first instanceof Response) throw new Error('nothing was asked before')
  await first.finish(new Response('', { status: 500 }))
  expect(await claim(lossy, request('again'))).toMatchObject({ seed })
})
