import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stop } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildConsole } from './console.ts'

const root = join(import.meta.dirname, '../..')
let outDir: string

beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'console-'))
})

afterAll(async () => {
  await stop()
  await rm(outDir, { recursive: true, force: true })
})

/** Builds the console. @returns whether its files were written */
async function builds(): Promise<boolean> {
  const page = join(outDir, 'index.html')
  const inode = () => stat(page).then(({ ino }) => ino)
  const before = await inode()
  const { files } = await buildConsole(root, outDir)
  expect(files.map(({ path }) => path)).toContain('index.html')
  return (await inode()) !== before
}

test('the console is built again only if a source differs or a file is missing', async () => {
  const { files } = await buildConsole(root, outDir)
  expect(await builds()).toBe(false)

  const recordFile = join(outDir, '.build.json')
  const record = JSON.parse(await readFile(recordFile, 'utf8'))
  for (const source of [
    'console/styles/main.css',
    'console/index.html',
    'stacks/build/console-shared.ts',
  ]) {
    expect(record.sources).toHaveProperty([source])

    const sources = { ...record.sources, [source]: { mtimeMs: 0, size: 0, hash: 'another text' } }
    await writeFile(recordFile, JSON.stringify({ ...record, sources }))
    expect(await builds()).toBe(true)
    expect(await builds()).toBe(false)
  }

  const script = files.find(({ path }) => path.endsWith('.js'))?.path ?? ''
  await rm(join(outDir, script))
  expect(await builds()).toBe(true)
  expect(await builds()).toBe(false)
})
