import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useStore } from './testing/use.ts'

const on = useStore()

const count = 10_000
const folderOf = (i: number) => `workspace/${i % 10}/${i % 100}`
const contentOf = (i: number) => `${String(i).padStart(8, '0')}${String(i % 10).repeat(10_232)}`

test('10,000 files of 10 KB are stored and restored', async () => {
  const disk = await on.disk()
  for (let i = 0; i < 100; i++) await mkdir(join(disk, folderOf(i)), { recursive: true })
  for (let i = 0; i < count; i++) await writeFile(join(disk, folderOf(i), `${i}.txt`), contentOf(i))
  const files = await on.open(disk)
  await files.sync()
  await files.close()
  expect(on.store.row).toMatchObject({ files: count, bytes: count * 10_240 })

  const other = await on.disk()
  on.store.asked.length = 0
  await on.open(other)
  // Files that are near each other in a pack are read together.
  expect(on.store.asked.length).toBeLessThan(200)
  for (let i = 0; i < count; i++) {
    const text = await readFile(join(other, folderOf(i), `${i}.txt`), 'utf8')
    if (text !== contentOf(i)) throw new Error(`file ${i} is not as it was`)
  }
  expect(await readdir(join(other, 'workspace/7'))).toHaveLength(10)
  expect((await stat(join(other, folderOf(1), '1.txt'))).size).toBe(10_240)
}, 300_000)
