import { mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useStore } from './testing/use.ts'

const on = useStore()

const text = (disk: string, path: string) => readFile(join(disk, path), 'utf8')

async function put(disk: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(disk, path, '..'), { recursive: true })
    await writeFile(join(disk, path), content)
  }
}

/** Returns the requests to the object store. */
const transfers = () => on.store.asked.filter((path) => path.startsWith('/objects'))

test('deleted and renamed folders are so at the platform', async () => {
  const disk = await on.disk()
  await put(disk, { 'a/one': '1', 'a/b/two': '2', 'c/three': '3' })
  const files = await on.open(disk)
  await files.sync()
  await rm(join(disk, 'a'), { recursive: true })
  await rename(join(disk, 'c'), join(disk, 'd'))
  await files.sync()
  expect(on.store.texts()).toEqual({ 'd/three': '3' })
  expect(on.store.row).toMatchObject({ bytes: 1, files: 1 })
  await rm(join(disk, 'd'), { recursive: true })
  await files.sync()
  expect(on.store.row).toMatchObject({ root: null, bytes: 0, files: 0 })
})

describe('a start on the same disk', () => {
  test('transfers nothing if nothing changed', async () => {
    const disk = await on.disk()
    await put(disk, { 'workspace/a': 'one' })
    const files = await on.open(disk)
    await files.sync()
    await files.close()
    on.store.asked.length = 0
    const later = await on.open(disk)
    await later.sync()
    expect(transfers()).toEqual([])
    expect(on.store.row.version).toBe(2)
  })

  test('takes over what the API changed in the meantime, and stores what the disk has more', async () => {
    const disk = await on.disk()
    await put(disk, { 'w/same': '0', 'w/both': '1', 'w/gone': '2', 'w/x/deep': '3', 'w/file': '4' })
    const files = await on.open(disk)
    await files.sync()
    await files.close()
    on.store.change({ 'w/both': 'api', 'w/gone': null, 'w/x': null, 'w/new': 'api' })
    on.store.change({ 'w/file': null })
    on.store.change({ 'w/file/inside': 'api' })
    // The disk has changes that were not stored, as after a kill.
    await put(disk, { 'w/both': 'disk', 'w/gone': 'disk', 'w/own': 'disk', 'w/x/own': 'disk' })
    const later = await on.open(disk)
    await later.sync()
    const expected = {
      'w/both': 'api',
      'w/file/inside': 'api',
      'w/new': 'api',
      'w/own': 'disk',
      'w/same': '0',
      'w/x/own': 'disk',
    }
    expect(on.store.texts()).toEqual(expected)
    for (const [path, content] of Object.entries(expected))
      expect(await text(disk, path)).toBe(content)
    expect((await readdir(join(disk, 'w'))).sort()).toEqual([
      'both',
      'file',
      'new',
      'own',
      'same',
      'x',
    ])
  })

  test('restores everything if all files were replaced', async () => {
    const disk = await on.disk()
    await put(disk, { 'w/old': 'old', 'w/kept': 'old', other: 'old' })
    const files = await on.open(disk)
    await files.sync()
    await files.close()
    on.store.change({ other: null, 'w/old': null, 'w/kept': 'restored' })
    on.store.row.origin = 'another'
    await put(disk, { 'w/unsaved': 'lost with the rest' })
    const later = await on.open(disk)
    expect(await readdir(join(disk, 'w'))).toEqual(['kept'])
    expect(await text(disk, 'w/kept')).toBe('restored')
    await later.sync()
    expect(on.store.texts()).toEqual({ 'w/kept': 'restored' })
  })

  test.each([
    ['lost', (path: string) => rm(path)],
    ['cut', (path: string) => truncate(path, 150)],
    ['of another form', (path: string) => writeFile(path, '{"form":2}\n')],
    ['a folder', (path: string) => rm(path).then(() => mkdir(path))],
  ])(
    'a start on the same disk with a marker that is %s removes nothing, and downloads only what differs',
    async (_, damage) => {
      const disk = await on.disk()
      await put(disk, { 'w/same': 'same', 'w/changed': 'old', 'w/lost': 'back' })
      const files = await on.open(disk)
      await files.sync()
      await files.close()
      const marker = join(disk, '.files.json')
      await damage(marker)
      await rm(join(disk, 'w/lost'))
      await put(disk, { 'w/changed': 'disk', 'w/own': 'own' })
      on.store.asked.length = 0
      await rm(marker, { recursive: true, force: true })
      const later = await on.open(disk)
      expect(await text(disk, 'w/changed')).toBe('old')
      expect(await text(disk, 'w/lost')).toBe('back')
      await later.sync()
      expect(on.store.texts()).toEqual({
        'w/changed': 'old',
        'w/lost': 'back',
        'w/own': 'own',
        'w/same': 'same',
      })
    },
  )
})

describe('beside a running container', () => {
  test('a change of the API is taken over by the next sync, and wins', async () => {
    const disk = await on.disk()
    await put(disk, { 'w/a': '1', 'w/b': '1' })
    const files = await on.open(disk)
    await files.sync()
    on.store.change({ 'w/a': 'api', 'w/c/d': 'api' })
    await put(disk, { 'w/a': 'disk', 'w/b': 'disk' })
    expect(await files.sync(['w', 'c'])).toBe(2)
    expect(await text(disk, 'w/a')).toBe('api')
    expect(await text(disk, 'w/c/d')).toBe('api')
    await files.sync()
    expect(on.store.texts()).toEqual({ 'w/a': 'api', 'w/b': 'disk', 'w/c/d': 'api' })
  })

  test('a commit that another one overtakes is repeated', async () => {
    const disk = await on.disk()
    const files = await on.open(disk)
    await put(disk, { a: 'disk', b: 'disk' })
    let left = 2
    on.store.fault = (path) => {
      if (path.endsWith('/commit') && left-- > 0) on.store.change({ a: `api ${left}` })
      return undefined
    }
    expect(await files.sync()).toBe(3)
    expect(on.store.texts()).toEqual({ a: 'api 0', b: 'disk' })
    expect(await text(disk, 'a')).toBe('api 0')
  })

  test('a sync of a path stores a file, or the direct entries of a folder', async () => {
    const disk = await on.disk()
    await put(disk, { 'w/a': '1', 'w/b': '1', 'w/x/y': '1', 'v/z': '1' })
    const files = await on.open(disk)
    await files.sync()
    await put(disk, { 'w/a': '2', 'w/b': '2', 'w/x/y': '2', 'w/new/deep': '2', 'v/z': '2' })
    await files.sync(['w', 'a'])
    expect(on.store.texts()).toEqual({ 'w/a': '2', 'w/b': '1', 'w/x/y': '1', 'v/z': '1' })
    await files.sync(['w'])
    expect(on.store.texts()).toEqual({ 'w/a': '2', 'w/b': '2', 'w/x/y': '1', 'v/z': '1' })
    expect(on.store.content().get('w/new')).toBe(null)
    await files.sync(['w', 'new', 'deep'])
    expect(on.store.texts()['w/new/deep']).toBe('2')
    await rm(join(disk, 'w'), { recursive: true })
    await files.sync(['w', 'x', 'y'])
    expect(on.store.texts()).toEqual({ 'v/z': '1' })
    await files.sync(['nothing', 'there'])
    await files.sync(['.files.json'])
    expect(on.store.texts()).toEqual({ 'v/z': '1' })
    await files.sync()
    expect(on.store.texts()).toEqual({ 'v/z': '2' })
  })

  test('calls at the same time share a run', async () => {
    const disk = await on.disk()
    await put(disk, { a: '1' })
    const files = await on.open(disk)
    on.store.asked.length = 0
    const versions = await Promise.all(Array.from({ length: 20 }, () => files.sync()))
    expect(new Set(versions)).toEqual(new Set([1]))
    expect(on.store.asked.filter((path) => path.endsWith('/open'))).toHaveLength(1)
  })

  test('it is stored again and again, until the container ends', async () => {
    const disk = await on.disk()
    const files = await on.open(disk, { scanEveryMs: 10 })
    files.watch()
    await put(disk, { a: '1' })
    await expect.poll(() => on.store.texts()).toEqual({ a: '1' })
    await put(disk, { a: '2' })
    await expect.poll(() => on.store.texts()).toEqual({ a: '2' })
    await put(disk, { a: 'last' })
    await files.close()
    expect(on.store.texts()).toEqual({ a: 'last' })
    expect(on.store.row.holder).toBeUndefined()
    await expect(files.sync()).rejects.toThrow('the container ends')
  })
})

test('a file of the API with the name of a temporary file stays at the platform', async () => {
  const disk = await on.disk()
  const names = ['.files.json', '.files-0123456789abcdef']
  on.store.change(Object.fromEntries(names.map((name) => [`workspace/${name}`, 'mine'])))
  const files = await on.open(disk)
  await put(disk, { 'workspace/other': 'new' })
  await files.sync()
  await files.sync(['workspace'])
  const kept = { 'workspace/.files.json': 'mine', 'workspace/.files-0123456789abcdef': 'mine' }
  expect(on.store.texts()).toEqual({ ...kept, 'workspace/other': 'new' })
  expect(on.store.row.files).toBe(3)
})
