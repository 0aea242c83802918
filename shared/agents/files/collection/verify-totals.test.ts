import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getStorage } from '#shared/agents/files/get-storage.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { storedFiles, type StoredFiles } from '#tests/support/agents/stored-files.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { storageRows } from '../../storage/rows.ts'
import { newPack, packKey } from '../packs.ts'
import { removeFiles } from '../remove.ts'
import { fileRows } from '../rows.ts'
import { type Entry, encodeEntries, type Part } from '../tree/entry.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const hourMs = 3_600_000
const gigabyte = 1024 ** 3

/** Replaces the root as a container's commit does, with these claims about the totals. */
async function claim(
  files: StoredFiles,
  claimed: { bytes: number; files: number },
  entriesOf: (store: (bytes: Uint8Array) => Part) => Entry[],
) {
  const pack = newPack()
  const folder = encodeEntries(entriesOf(pack.add))
  const top: Entry = {
    name: 'workspace',
    type: 'folder',
    mtime: 1,
    tree: pack.add(folder),
    ...claimed,
  }
  const root = pack.add(encodeEntries([top]))
  await pack.store(files.ctx.packs, files.agentId)
  const key = fileRows.key({ userId: files.owner, agentId: files.agentId })
  await database.table.update(key, { set: { root, ...claimed } })
  return root[0]
}

const used = async ({ owner }: StoredFiles) =>
  (await storageRows.find(database.table, { userId: owner }))?.taken

const file = (name: string, parts: Part[]): Entry => ({
  name,
  type: 'file',
  mtime: 1,
  size: parts.reduce((sum, [, , length]) => sum + length, 0),
  tag: 't',
  parts,
})

describe('a collection', () => {
  it('corrects the totals that a container claimed for a folder', async () => {
    const files = await storedFiles(database.table)
    await files.put('a', 'four')
    await claim(files, { bytes: 0, files: 0 }, (store) => [
      file('x', [store(new Uint8Array(1000))]),
      file('y', [store(new Uint8Array(200))]),
    ])
    await files.collect(Date.now() + 1.1 * hourMs)
    expect(await files.row()).toMatchObject({ bytes: 1200, files: 2 })
    // The commit was not counted here: 4 bytes before, and 1,200 more than claimed.
    expect(await used(files)).toBe(1204)
  })

  it('counts what a container hides by committing all the time', async () => {
    const files = await storedFiles(database.table)
    await files.put('a', 'four')
    await claim(files, { bytes: 4, files: 1 }, (store) => [
      file('x', [store(new Uint8Array(1000))]),
    ])
    const { packs } = files.ctx
    const { list } = packs
    packs.list = async function* (prefix) {
      await files.put('b', 'more')
      yield* list(prefix)
    }
    await files.collect(Date.now() + 1.1 * hourMs)
    expect(await files.row()).toMatchObject({ bytes: 8, surplus: 996 })
    expect(await used(files)).toBe(1004)
    packs.list = list
    await files.collect(Date.now() + 2.2 * hourMs)
    expect(await files.row()).toMatchObject({ bytes: 1004, files: 2 })
    expect(await used(files)).toBe(1004)
  })

  it('counts stored bytes that belong to no file, until they are removed', async () => {
    const files = await storedFiles(database.table)
    await files.put('a', 'four')
    const pack = await claim(files, { bytes: 4, files: 1 }, (store) => [
      file('x', [store(new Uint8Array(4))]),
    ])
    const { ctx, agentId } = files
    const { packs } = ctx
    const { list } = packs
    const hidden = 9 * gigabyte
    const listed: typeof packs.list = async function* (prefix) {
      for await (const one of list(prefix))
        yield one.key === packKey(agentId, pack) ? { ...one, bytes: hidden } : one
    }
    packs.list = listed
    await files.collect(Date.now() + 1.1 * hourMs)
    expect(await files.row()).toMatchObject({ bytes: 4, surplus: 2 * gigabyte - 4 })
    expect(await used(files)).toBe(2 * gigabyte)
    const { usedBytes, agents } = await getStorage(ctx)
    expect([usedBytes, agents]).toEqual([2 * gigabyte, [{ agentId, bytes: 2 * gigabyte }]])
    packs.list = list
    await files.put('b', 'more')
    await files.collect(Date.now() + 2.2 * hourMs)
    expect(await files.row()).not.toHaveProperty('surplus')
    expect(await used(files)).toBe(8)
  })

  it('does not let the removal of a folder free bytes that were never counted', async () => {
    const files = await storedFiles(database.table)
    await files.put('a', 'four')
    await claim(files, { bytes: 4, files: 1 }, (store) => {
      const tree = store(encodeEntries([]))
      return [{ name: 'lie', type: 'folder', mtime: 1, tree, bytes: gigabyte, files: 9 }]
    })
    await files.remove('lie')
    expect(await used(files)).toBe(0)
    expect(await files.row()).toMatchObject({ bytes: 0, files: 0 })
  })

  it.each<[string, (store: (bytes: Uint8Array) => Part) => Entry[]]>([
    [
      'is not a list',
      (store) => {
        const tree = store(Buffer.from('not a list'))
        return [{ name: 'bad', type: 'folder', mtime: 1, tree, bytes: 0, files: 0 }]
      },
    ],
    [
      'does not exist',
      () => {
        const tree: Part = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 0, 2]
        return [{ name: 'bad', type: 'folder', mtime: 1, tree, bytes: 0, files: 0 }]
      },
    ],
  ])('removes nothing while a list %s', async (_, entriesOf) => {
    const files = await storedFiles(database.table)
    await files.put('a', 'one')
    await claim(files, { bytes: 3, files: 1 }, entriesOf)
    const before = files.stored.size
    for (const hours of [1.1, 2.2, 3.3])
      expect(await files.collect(Date.now() + hours * hourMs)).toBe(before)
  })

  it.each<[string, (store: (bytes: Uint8Array) => Part) => Entry[]]>([
    [
      'that does not exist',
      () => {
        const tree: Part = ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 0, 2]
        return [{ name: 'bad', type: 'folder', mtime: 1, tree, bytes: 0, files: 0 }]
      },
    ],
    [
      'whose totals are not a number of bytes',
      (store) => {
        let list: Entry[] = [file('x', [store(new Uint8Array(9))])]
        for (let depth = 0; depth < 20; depth++) {
          const tree = store(encodeEntries(list))
          const names = Array.from({ length: 10 }, (_, i) => String(i))
          list = names.map((name) => ({ name, type: 'folder', mtime: 1, tree, bytes: 0, files: 0 }))
        }
        return list
      },
    ],
  ])('counts everything that is stored beside a list %s', async (_, entriesOf) => {
    const files = await storedFiles(database.table)
    await files.put('a', 'one')
    const hidden = newPack()
    hidden.add(new Uint8Array(100_000))
    await hidden.store(files.ctx.packs, files.agentId)
    await claim(files, { bytes: 3, files: 1 }, entriesOf)
    await files.collect(Date.now() + 1.1 * hourMs)
    expect(await used(files)).toBeGreaterThan(100_000)
    const { userId, agentId } = { userId: files.owner, agentId: files.agentId }
    const store = userStore(database.table, userId)
    await removeFiles({ table: database.table, store, agentId, deadline: Infinity })
    expect(await used(files)).toBe(0)
  })

  it('lets a change that began before see the corrected totals', async () => {
    const files = await storedFiles(database.table)
    await files.put('a', 'four')
    await claim(files, { bytes: 1000, files: 1 }, (store) => [
      file('x', [store(new Uint8Array(4))]),
    ])
    const late = files.contextOver({
      ...database.table,
      async transact(writes) {
        late.table = database.table
        await files.collect(Date.now() + 1.1 * hourMs)
        return database.table.transact(writes)
      },
    })
    await files.put('b', 'more', late)
    await files.collect(Date.now() + 2.2 * hourMs)
    expect(await files.row()).toMatchObject({ bytes: 8, files: 2 })
    // The claim itself was not counted here: 996 bytes are missing, once.
    expect(await used(files)).toBe(8 - 996)
  })

  it('ends for a folder that contains itself', async () => {
    const files = await storedFiles(database.table)
    await files.put('a', 'one')
    const pack = newPack()
    // The list refers to its own place: the pack's id is known before it is stored.
    const [id] = pack.add(Buffer.from(''))
    const entry = (length: number): Entry => ({
      name: 'self',
      type: 'folder',
      mtime: 1,
      tree: [id, 0, length],
      bytes: 0,
      files: 0,
    })
    let length = 0
    while (encodeEntries([entry(length)]).length !== length) length++
    const root = pack.add(encodeEntries([entry(length)]))
    await pack.store(files.ctx.packs, files.agentId)
    const key = fileRows.key({ userId: files.owner, agentId: files.agentId })
    await database.table.update(key, { set: { root, bytes: 0, files: 0 } })
    const before = files.stored.size
    expect(await files.collect(Date.now() + 1.1 * hourMs)).toBe(before)
  })
})
