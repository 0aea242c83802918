import { readdir, writeFile } from 'node:fs/promises'
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
