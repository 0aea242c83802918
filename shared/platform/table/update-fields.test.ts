import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { entity } from './entity.ts'
import { updateFields } from './update-fields.ts'

const pens = entity({
  name: 'pen',
  pk: 'user#{userId}',
  sk: 'pen#{id}',
  schema: () => z.object({ id: z.string(), name: z.string(), colour: z.string() }),
})

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it('sets the given fields of an existing row alone', async () => {
  const { table } = database
  const key = { userId: 'usr_1', id: 'one' }
  const pen = { id: 'one', name: 'Pen', colour: 'blue' }
  await table.put(pens.put(key, pen))
  const red = { ...pen, colour: 'red' }
  expect(await updateFields(table, pens, key, { colour: 'red', name: undefined })).toEqual(red)
  expect(await updateFields(table, pens, key, {})).toEqual(red)
  expect(await pens.find(table, key)).toEqual(red)
})

it('writes no row that does not exist or has expired', async () => {
  const { table } = database
  const [absent, expired] = [
    { userId: 'usr_1', id: 'absent' },
    { userId: 'usr_1', id: 'expired' },
  ]
  const pen = { id: 'expired', name: 'Pen', colour: 'blue' }
  await table.put(pens.put(expired, pen, { expiresAt: 1 }))
  for (const key of [absent, expired])
    for (const fields of [{ name: 'Other' }, {}])
      expect(await updateFields(table, pens, key, fields)).toBeUndefined()
  expect(await table.get(pens.key(absent))).toBeUndefined()
})
