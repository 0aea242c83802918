import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userStore } from '#shared/platform/table/user-store.ts'
import { storedFiles } from '#tests/support/agents/stored-files.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { storageRows } from '../../storage/rows.ts'
import { packReader } from '../packs.ts'
import { pinFiles, unpinFiles } from '../pin.ts'
import { removeFiles } from '../remove.ts'
import { tickFiles } from '../tick.ts'
import { openTree } from '../tree/tree.ts'
import { expectPacks } from './expect-packs.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const hourMs = 3_600_000
const newFiles = () => storedFiles(database.table)

describe('a collection', () => {
  it('leaves a pack that just became unused for an hour, and then removes it', async () => {
    const files = await newFiles()
    const start = Date.now()
    await files.put('a', 'one')
    await files.put('a', 'two')
    expect(files.stored.size).toBe(4)
    expect(await files.collect(start + 0.5 * hourMs)).toBe(4)
    expect(await files.collect(start + 1.1 * hourMs)).toBe(4)
    expect(await files.collect(start + 1.6 * hourMs)).toBe(4)
    expect(await files.collect(start + 2.2 * hourMs)).toBe(2)
    // It has ended: nothing is due any more.
    await files.collect(start + 3.3 * hourMs)
    await tickFiles(files.ctx, start + 99 * hourMs)
    const { agentId } = files
    expect(files.waiting.filter((message) => message.agentId === agentId)).toEqual([])
  })

  it('is not postponed by an agent that always writes', async () => {
    const files = await newFiles()
    const start = Date.now()
    await files.put('a', 'one')
    await files.put('a', 'two')
    for (let minutes = 10; minutes <= 200; minutes += 10) {
      const now = start + minutes * 60_000
      const row = await files.row()
      if (row !== undefined) await expectPacks(files.ctx, row, now)
      await files.collect(now)
    }
    expect(files.stored.size).toBe(2)
    expect(await files.row()).toHaveProperty('collectAt')
  })

  it('a collection that dies is repeated, and one that was announced in the meantime stays due', async () => {
    const files = await newFiles()
    const start = Date.now()
    await files.put('a', 'one')
    await files.put('a', 'two')
    await files.collect(start + 1.1 * hourMs)
    files.dieAfter(1)
    await expect(files.collect(start + 2.2 * hourMs)).rejects.toThrow('killed')
    files.dieAfter(Infinity)
    expect(files.stored.size).toBe(3)
    expect(await files.collect(start + 2.4 * hourMs)).toBe(2)
    expect(await files.content()).toEqual(new Map([['a', 'two']]))
  })

  it('keeps the packs of a pinned root, even after the agent’s deletion, until the pin is removed', async () => {
    const files = await newFiles()
    const { owner: userId, agentId, ctx } = files
    await files.put('a/b', 'kept')
    const pin = { userId, agentId, pinId: 'snp_1' }
    const pinned = await pinFiles(ctx, pin)
    expect(pinned).toMatchObject({ bytes: 4, files: 1 })
    await files.put('a/b', 'newer')
    expect(await pinFiles(ctx, pin)).toEqual(pinned)
    const store = userStore(database.table, userId)
    await removeFiles({ table: database.table, store, agentId, deadline: Infinity })
    const now = Date.now() + 1000
    expect(await files.collect(now)).toBe(2)
    for (const hours of [1.1, 2.2, 30]) expect(await files.collect(now + hours * hourMs)).toBe(2)
    const { readList, readFile: read } = packReader(ctx.packs, agentId)
    const tree = openTree(readList, pinned?.root, { bytes: 4, files: 1 })
    const file = await tree.find(['workspace', 'a', 'b'])
    expect(typeof file === 'object' && (await read(file.parts, 0, 4)).toString()).toBe('kept')
    await unpinFiles(ctx, pin, now + 31 * hourMs)
    expect(await files.collect(now + 31.1 * hourMs)).toBe(0)
    expect(await files.row()).toBeUndefined()
  })

  it('removes everything of a deleted agent at once, and its row later', async () => {
    const files = await newFiles()
    await files.put('a/b', 'text')
    const { owner: userId, agentId } = files
    const store = userStore(database.table, userId)
    for (let i = 0; i < 2; i++)
      await removeFiles({ table: database.table, store, agentId, deadline: Infinity })
    expect(await storageRows.find(database.table, { userId })).toMatchObject({ taken: 0 })
    const now = Date.now() + 1000
    expect(await files.collect(now)).toBe(0)
    expect(await files.row()).toMatchObject({ deletedAt: expect.any(Number) })
    await expect(files.put('late', 'x')).rejects.toThrow('Agent not found')
    expect(files.stored.size).toBe(0)
    await files.collect(now + 1.1 * hourMs)
    expect(await files.row()).toBeUndefined()
  })
})
