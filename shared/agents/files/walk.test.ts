import { expect, it } from 'vitest'
import { DamagedFiles } from './packs.ts'
import type { Entry, Part } from './tree/entry.ts'
import { walkFiles } from './walk.ts'

const part = (n: number): Part => ['01ARZ3NDEKTSV4RRFFQ69G5FAV', n, 1]
const folder = (name: string, tree: Part): Entry => ({
  name,
  type: 'folder',
  mtime: 1,
  tree,
  bytes: 0,
  files: 0,
})

it.each([
  ['a folder that contains itself', () => [folder('again', part(0))]],
  [
    'folders that share a list many times',
    ([, depth]: Part) =>
      depth === 9 ? [] : Array.from({ length: 50 }, (_, i) => folder(`${i}`, part(depth + 1))),
  ],
])('a walk over %s ends', async (_, list) => {
  const walk = async () => {
    for await (const one of walkFiles(async (tree) => list(tree), part(0))) void one
  }
  await expect(walk()).rejects.toThrow(DamagedFiles)
})
