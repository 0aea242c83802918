import { afterAll, beforeAll, expect, it } from 'vitest'
import { before } from '../../tests/support/recording.ts'
import { type Keys, startKeys } from '../../tests/support/keys.ts'
import { deleteAllKeys } from './delete-all.ts'

let keys: Keys

beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

const countOf = async (userId: string) =>
  (await keys.table.get({ pk: `user#${userId}`, sk: 'profile' }))?.keyCount

it("ends all of a user's keys and nobody else's", async () => {
  const ada = await keys.signUp('ada@b.co')
  const bob = await keys.signUp('bob@b.co')
  const made = [await keys.newKey(ada.session), await keys.newKey(ada.session)]
  const kept = await keys.newKey(bob.session)
  await deleteAllKeys(keys.table, ada.id)
  for (const { key } of made) expect((await keys.validate(key))[0]).toBe(401)
  expect((await keys.validate(kept.key))[0]).toBe(200)
  expect([await countOf(ada.id), await countOf(bob.id)]).toEqual([0, 1])
  // Repeating it, as after a crash, does nothing.
  await deleteAllKeys(keys.table, ada.id)
  expect(await countOf(ada.id)).toBe(0)
  expect((await keys.call('GET', '/api/keys', { session: ada.session })).status).toBe(200)
})

it('does nothing to who has none', async () => {
  const { id } = await keys.signUp('none@b.co')
  await deleteAllKeys(keys.table, id)
  await deleteAllKeys(keys.table, 'usr_nobody')
  expect(await keys.table.get({ pk: 'user#usr_nobody', sk: 'profile' })).toBeUndefined()
})

it('takes keys along that are made or deleted meanwhile', async () => {
  const { id, session } = await keys.signUp('meanwhile@b.co')
  const first = await keys.newKey(session)
  const second = await keys.newKey(session)
  const late: string[] = []
  const table = before(keys.table, async (name) => {
    if (name !== 'transact' || late.length > 0) return
    const body = { name: 'made by a key' }
    const answer = await keys.call('POST', '/api/keys', { key: first.key, body })
    late.push(((await answer.json()) as { key: string }).key)
    await keys.call('DELETE', `/api/keys/${second.id}`, { session })
  })
  await deleteAllKeys(table, id)
  for (const key of [first.key, second.key, ...late])
    expect((await keys.validate(key))[0]).toBe(401)
  expect(late).toHaveLength(1)
  expect(await countOf(id)).toBe(0)
})
