import { expect, it } from 'vitest'
import { userRows } from '#shared/accounts/users/rows.ts'
import { newPack } from '#shared/agents/files/packs.ts'
import { fileRows } from '#shared/agents/files/rows.ts'
import { encodeEntries } from '#shared/agents/files/tree/entry.ts'
import { restoreWorld } from '#tests/support/conversations/restore-world.ts'

const { world, scenes, files, ada } = await restoreWorld()
const { table } = world

it('an export of files that claim far more than the storage is 413', async () => {
  const id = await scenes.newAgent()
  await files.put(id, 'a', 'one')
  const stored = newPack()
  const tree = stored.add(encodeEntries([]))
  const claimed = { name: 'workspace', mtime: 1, tree, bytes: 10 * 1024 ** 4, files: 1 }
  const root = stored.add(encodeEntries([{ ...claimed, type: 'folder' }]))
  await stored.store(world.packs, id)
  await table.update(fileRows.key({ userId: ada.id, agentId: id }), { set: { root } })
  expect((await scenes.call('GET', `/api/agents/${id}/export`)).status).toBe(413)
})

it('an import by a link needs a plan, and parallel requests cannot exceed the limits', async () => {
  const begin = (session?: string) =>
    scenes.call('POST', '/api/agents/imports', { size: 100 }, session)
  const free = await world.newUser('free@b.co')
  const subscription = { id: null, status: 'inactive', customerId: null }
  await table.update(userRows.key({ userId: free.id }), { set: { plan: 'free', subscription } })
  const refused = await begin(free.session)
  expect([refused.status, refused.body.code]).toEqual([402, 'SUBSCRIPTION_REQUIRED'])
  const began = await Promise.all(Array.from({ length: 14 }, () => begin()))
  expect(began.filter(({ status }) => status === 200)).toHaveLength(10)
  expect((await begin()).body).toMatchObject({ code: 'ARCHIVE_LIMIT_REACHED', limit: 10 })
  await world.tickArchives(Date.now() + 3 * 3_600_000)
  expect((await begin()).status).toBe(200)
})
