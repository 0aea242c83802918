import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { markerName } from './names.ts'
import { useStore } from './testing/use.ts'

const disk = vi.hoisted(() => ({ isFull: false }))
vi.mock(import('./marker.ts'), async (load) => {
  const marker = await load()
  return {
    ...marker,
    async writeMarker(...given) {
      if (disk.isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
      return marker.writeMarker(...given)
    },
  }
})

vi.mock(import('./install.ts'), async (load) => {
  const install = await load()
  return {
    ...install,
    async installWhole(...given) {
      if (disk.isFull) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
      return install.installWhole(...given)
    },
  }
})

const on = useStore()

test('a full disk is stored, and restored without its old marker', async () => {
  const root = await on.disk()
  const files = await on.open(root)
  await writeFile(join(root, 'a'), 'one')
  await files.sync()
  disk.isFull = true
  await writeFile(join(root, 'a'), 'changed')
  await writeFile(join(root, 'b'), 'two')
  await files.close()
  expect(on.store.texts()).toEqual({ a: 'changed', b: 'two' })
  expect(await readdir(root)).not.toContain(markerName)
  disk.isFull = false
  const later = await on.open(root)
  await later.sync()
  expect(on.store.texts()).toEqual({ a: 'changed', b: 'two' })
})

test('a full disk stores its changes, and keeps at the platform what it has no room for', async () => {
  const root = await on.disk()
  const files = await on.open(root)
  for (const name of ['a', 'b', 'c']) await writeFile(join(root, name), 'one')
  await files.sync()
  // Another container plays the API.
  const other = await on.disk()
  const generation = on.store.row.holder ?? 0
  const api = await on.open(other, { generation })
  await mkdir(join(other, 'folder'))
  await writeFile(join(other, 'folder/new'), 'new')
  await writeFile(join(other, 'a'), 'changed')
  await rm(join(other, 'c'))
  await api.sync()
  disk.isFull = true
  await writeFile(join(root, 'b'), 'two')
  await writeFile(join(root, 'd'), 'two')
  await files.sync()
  const stored = { a: 'changed', b: 'two', d: 'two', 'folder/new': 'new' }
  expect(on.store.texts()).toEqual(stored)
  await writeFile(join(root, 'b'), 'three')
  await files.sync()
  const { version } = on.store.row
  await files.sync()
  expect(on.store.texts()).toEqual({ ...stored, b: 'three' })
  expect(on.store.row.version).toBe(version)
  await api.sync()
  await writeFile(join(other, 'e'), 'more')
  await api.sync()
  disk.isFull = false
  await files.sync()
  expect(await readFile(join(root, 'folder/new'), 'utf8')).toBe('new')
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('changed')
  expect(await readFile(join(root, 'b'), 'utf8')).toBe('three')
  await files.close()
  expect(on.store.texts()).toEqual({ ...stored, b: 'three', e: 'more' })
})
