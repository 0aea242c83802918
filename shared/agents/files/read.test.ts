import { afterAll, beforeAll, expect, it } from 'vitest'
import { storedFiles } from '#tests/support/agents/stored-files.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { requireAgent } from '../record/find.ts'
import { storageRows } from '../storage/rows.ts'
import { changeFiles } from './change.ts'
import { newPack } from './packs.ts'
import { readFile } from './read.ts'
import type { Part } from './tree/entry.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const mebibyte = 1024 * 1024
const hourMs = 3_600_000

/** Commits a file whose content is in several packs, as a container does. */
async function withPieces(sizes: readonly number[]) {
  const files = await storedFiles(database.table)
  const { ctx, owner: userId, agentId } = files
  const contents = sizes.map((size, i) => Buffer.alloc(size, String(i)))
  const agent = await requireAgent(ctx, { agentId, owner: userId })
  const sync = { agent, names: undefined }
  await changeFiles(ctx, { userId, agentId, sync }, async ({ tree }) => {
    const parts: Part[] = []
    for (const content of contents) {
      const pack = newPack()
      pack.add(Buffer.from('another file'))
      parts.push(pack.add(content))
      await pack.store(ctx.packs, agentId)
    }
    const size = sizes.reduce((sum, one) => sum + one, 0)
    await tree.put(['workspace', 'pieces'], { mtime: 1, size, tag: 'the-tag', parts })
  })
  const file = await readFile(ctx, { agentId, path: 'pieces' })
  return { files, file, content: Buffer.concat(contents) }
}

it('reads a part that begins and ends within pieces', async () => {
  const { file, content } = await withPieces([10, 0, 20, 5])
  for (const [from, length] of [
    [0, 35],
    [5, 10],
    [9, 2],
    [10, 20],
    [34, 1],
    [35, 0],
  ] as const)
    expect((await file.read(from, length)).equals(content.subarray(from, from + length))).toBe(true)
})

it('composes a large file once, which the second collection removes', async () => {
  const { files, file, content } = await withPieces([8 * mebibyte, 8 * mebibyte, 3])
  const before = files.stored.size
  // The links of these tests are the keys of their objects.
  const key = await file.link()
  expect(await file.link()).toBe(key)
  expect(files.stored.size).toBe(before + 1)
  expect(content.equals(files.stored.get(key)?.bytes ?? Buffer.from(''))).toBe(true)
  const now = Date.now()
  expect(await files.collect(now + 0.5 * hourMs)).toBe(before + 1)
  for (const hours of [1.1, 2.2]) await files.collect(now + hours * hourMs)
  expect(files.stored.has(key)).toBe(false)
  expect(files.stored.size).toBe(before)
})

it('composes no more than the storage of the owner at a time', async () => {
  const { files } = await withPieces([8 * mebibyte, 8 * mebibyte])
  const { ctx, owner: userId, agentId } = files
  // A container can claim a file of any size: one pack, many times.
  const pack = newPack()
  const part = pack.add(Buffer.alloc(mebibyte))
  await pack.store(ctx.packs, agentId)
  const agent = await requireAgent(ctx, { agentId, owner: userId })
  const sync = { agent, names: undefined }
  const parts = Array.from({ length: 21_000 }, () => part)
  const size = parts.length * mebibyte
  await database.table.update(storageRows.key({ userId }), { set: { taken: -size } })
  await changeFiles(ctx, { userId, agentId, sync }, ({ tree }) =>
    tree.put(['workspace', 'claimed'], { mtime: 1, size, tag: 'claimed', parts }),
  )
  const before = files.stored.size
  const file = await readFile(ctx, { agentId, path: 'claimed' })
  await expect(file.link()).rejects.toMatchObject({ kind: 'unavailable' })
  expect(files.stored.size).toBe(before)
})
