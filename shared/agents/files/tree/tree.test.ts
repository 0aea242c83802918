import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeEntries, encodeEntries, type FileEntry, type Part } from './entry.ts'
import { openTree, type Totals, type Tree } from './tree.ts'

/** Lists in memory, in place of packs. */
function memory() {
  const lists: Uint8Array[] = []
  const id = '01K0000000000000000000000A'
  return {
    lists,
    store: (bytes: Uint8Array): Part => [id, lists.push(bytes) - 1, bytes.length],
    read: async ([, at]: Part) => decodeEntries(lists[at] ?? Buffer.from('')),
  }
}

const file = (size: number): Omit<FileEntry, 'name' | 'type'> => ({
  mtime: size,
  size,
  tag: `t${size}`,
  parts: [['01K0000000000000000000000A', 0, size]],
})

/** A model of the files: sizes by path, and the folders. */
type Model = Map<string, number | 'folder'>

const parentsOf = (path: string) =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, i, names) => names.slice(0, i + 1).join('/'))

const below = (model: Model, path: string) =>
  [...model.keys()].filter((one) => one === path || one.startsWith(`${path}/`))

function modelPut(model: Model, path: string, size: number | 'folder'): boolean {
  const parents = parentsOf(path)
  if (model.get(path) === 'folder') return false
  if (parents.some((one) => typeof model.get(one) === 'number')) return false
  for (const one of parents) model.set(one, 'folder')
  model.set(path, size)
  return true
}

function modelMove(model: Model, from: string, to: string): boolean {
  if (!model.has(from)) return false
  if (parentsOf(to).some((one) => typeof model.get(one) === 'number')) return false
  const moved = below(model, from).map((one) => [one, model.get(one)] as const)
  for (const [one] of moved) model.delete(one)
  for (const one of below(model, to)) model.delete(one)
  for (const one of parentsOf(to)) model.set(one, 'folder')
  for (const [one, value] of moved)
    if (value !== undefined) model.set(to + one.slice(from.length), value)
  return true
}

const path = fc
  .array(fc.constantFrom('a', 'b', 'ä', '\uD83D\uDE00', '__proto__'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((names) => names.join('/'))
const step = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), path, size: fc.nat(9) }),
  fc.record({ kind: fc.constant('remove' as const), path }),
  fc.record({ kind: fc.constant('move' as const), path, to: path }),
  fc.record({ kind: fc.constant('commit' as const) }),
)

async function contentOf(tree: Tree, names: string[] = []): Promise<[string, unknown][]> {
  const all: [string, unknown][] = []
  for (const { name, ...entry } of (await tree.list(names)) ?? []) {
    const at = [...names, name]
    all.push([at.join('/'), entry.type === 'file' ? entry.size : 'folder'])
    if (entry.type === 'folder') all.push(...(await contentOf(tree, at)))
  }
  return all
}

describe('a tree', () => {
  it('contains what a map of paths contains, after any sequence of changes and commits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { store, read } = memory()
        const model: Model = new Map()
        let root: Part | undefined
        let totals: Totals = { bytes: 0, files: 0 }
        let tree = openTree(read, root, totals)
        for (const one of steps) {
          if (one.kind === 'put') {
            const names = one.path.split('/')
            expect(await tree.put(names, file(one.size))).toBe(modelPut(model, one.path, one.size))
          } else if (one.kind === 'remove') {
            const gone = below(model, one.path)
            expect(await tree.remove(one.path.split('/'))).toBe(model.has(one.path))
            for (const each of gone) model.delete(each)
          } else if (one.kind === 'move') {
            const { path: from, to } = one
            // Callers refuse these: contract.md 16.
            if (`${to}/`.startsWith(`${from}/`) || `${from}/`.startsWith(`${to}/`)) continue
            expect(await tree.move(from.split('/'), to.split('/'), 7)).toBe(
              modelMove(model, from, to),
            )
          } else {
            totals = tree.totals()
            root = await tree.write(store)
            tree = openTree(read, root, totals)
          }
          const sizes = [...model.values()].filter((size) => size !== 'folder')
          const bytes = sizes.reduce((sum, size) => sum + size, 0)
          expect(tree.totals()).toEqual({ bytes, files: sizes.length })
        }
        expect(new Map(await contentOf(tree))).toEqual(model)
      }),
      { numRuns: 200 },
    )
  })

  it('shares unchanged lists with the root before, which still contains the former moment', async () => {
    const { lists, store, read } = memory()
    const tree = openTree(read, undefined, { bytes: 0, files: 0 })
    for (const name of ['a/1', 'b/1', 'b/c/1']) await tree.put(name.split('/'), file(1))
    const before = tree.totals()
    const first = await tree.write(store)
    const stored = lists.length
    await tree.put(['a', '2'], file(5))
    await tree.write(store)
    expect(lists.length - stored).toBe(2)
    const old = openTree(read, first, before)
    expect((await contentOf(old)).map(([one]) => one)).toEqual([
      'a',
      'a/1',
      'b',
      'b/1',
      'b/c',
      'b/c/1',
    ])
    expect(old.totals()).toEqual({ bytes: 3, files: 3 })
  })

  it('sorts by the bytes of names, and preserves names that are not UTF-8', async () => {
    const { store, read } = memory()
    const tree = openTree(read, undefined, { bytes: 0, files: 0 })
    for (const name of ['\uDCFF', '\uFF00', '\u{10000}', 'z', 'Z']) await tree.put([name], file(1))
    const again = openTree(read, await tree.write(store), tree.totals())
    const names = (await again.list([]))?.map(({ name }) => name)
    expect(names).toEqual(['Z', 'z', '\uFF00', '\u{10000}', '\uDCFF'])
  })
})

it.each([
  ['', false],
  ['a\0', false],
  ['x'.repeat(4097), false],
  ['ä'.repeat(2049), false],
  ['ä'.repeat(2048), true],
  // A byte that is no UTF-8.
  ['\udcff'.repeat(4096), true],
])('a list accepts only targets of links that a disk accepts', (target, isAccepted) => {
  const decode = () => decodeEntries(encodeEntries([{ name: 'a', type: 'link', mtime: 1, target }]))
  if (isAccepted) expect(decode()).toHaveLength(1)
  else expect(decode).toThrow('target')
})
