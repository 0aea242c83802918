import { expect, it } from 'vitest'
import { DamagedFiles, newPack } from '#shared/agents/files/packs.ts'
import { encodeEntries, type FolderEntry, type Part } from '#shared/agents/files/tree/entry.ts'
import { memoryObjects } from '#tests/support/platform/memory-objects.ts'
import { archivedFiles } from './archived-files.ts'
import { pack } from './zip/pack.ts'

it('an archive of a folder that claims too few bytes is not written', async () => {
  const { objects } = memoryObjects()
  const stored = newPack()
  const part = stored.add(Buffer.alloc(1024 ** 2))
  const parts = Array.from({ length: 5000 }, (): Part => part)
  const size = parts.length * 1024 ** 2
  const tree = stored.add(
    encodeEntries([{ name: 'claimed', type: 'file', mtime: 1, size, tag: 't', parts }]),
  )
  await stored.store(objects, 'agt_1')
  const workspace: FolderEntry = {
    name: 'workspace',
    type: 'folder',
    mtime: 1,
    tree,
    bytes: 0,
    files: 0,
  }
  const writing = pack(new Map(), archivedFiles(objects, 'agt_1', workspace))
  await expect(writing).rejects.toThrow(DamagedFiles)
})
