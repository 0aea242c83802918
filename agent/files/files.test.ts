import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useStore } from './testing/use.ts'

const on = useStore()

test('an empty disk stays empty, and stores nothing', async () => {
  const files = await on.open(await on.disk())
  expect(await files.sync()).toBe(0)
  await files.close()
  expect(on.store.objects.size).toBe(0)
  expect(on.store.row).toMatchObject({ root: null, bytes: 0, files: 0, holder: undefined })
})

test('nested files are stored, and restored on another disk', async () => {
  const first = await on.disk()
  const files = await on.open(first)
  await mkdir(join(first, 'workspace/a/b'), { recursive: true })
  await mkdir(join(first, 'workspace/empty'))
  await writeFile(join(first, 'workspace/a/b/c.txt'), 'deep')
  await writeFile(join(first, 'notes.md'), '')
  expect(await files.sync()).toBe(1)
  expect(on.store.row).toMatchObject({ version: 1, bytes: 4, files: 2 })
  expect(on.store.texts()).toEqual({ 'notes.md': '', 'workspace/a/b/c.txt': 'deep' })
  expect(await files.sync()).toBe(1)

  const second = await on.disk()
  const later = await on.open(second)
  expect(await readFile(join(second, 'workspace/a/b/c.txt'), 'utf8')).toBe('deep')
  expect(await later.sync()).toBe(1)
  await rename(join(second, 'workspace/a'), join(second, 'workspace/d'))
  await rm(join(second, 'workspace/empty'), { recursive: true })
  const stored = on.store.objects.size
  expect(await later.sync()).toBe(2)
  expect([...on.store.content().keys()].sort()).toEqual([
    'notes.md',
    'workspace',
    'workspace/d',
    'workspace/d/b',
    'workspace/d/b/c.txt',
  ])
  // A renamed file is not stored again: the one new pack has the lists.
  expect(on.store.objects.size).toBe(stored + 1)
})

test('locks, caches and logs of OpenClaw are not stored, and its other state is', async () => {
  const disk = await on.disk()
  const files = await on.open(disk)
  const paths = ['tmp/a.lock', 'cache/a', 'logs/a.log', 'agents/tmp/a', 'npm/a']
  for (const path of paths) {
    await mkdir(join(disk, 'openclaw', path, '..'), { recursive: true })
    await writeFile(join(disk, 'openclaw', path), 'x')
  }
  await mkdir(join(disk, 'workspace/openclaw/tmp'), { recursive: true })
  await writeFile(join(disk, 'workspace/openclaw/tmp/a'), 'x')
  await files.sync()
  expect(Object.keys(on.store.texts()).toSorted()).toEqual([
    'openclaw/agents/tmp/a',
    'openclaw/npm/a',
    'workspace/openclaw/tmp/a',
  ])
})
