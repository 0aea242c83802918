import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { nameOf } from './names.ts'
import { pathIn } from './testing/played-store.ts'
import { useStore } from './testing/use.ts'

const on = useStore()

/** Stores a disk, and restores it on another. @returns the other */
async function restored(disk: string): Promise<string> {
  const files = await on.open(disk)
  await files.sync()
  await files.close()
  const other = await on.disk()
  await (await on.open(other)).close()
  return other
}

describe('a restored disk has', () => {
  test('the modes and dates of files and folders', async () => {
    const disk = await on.disk()
    await mkdir(join(disk, 'workspace/private'), { recursive: true })
    await writeFile(join(disk, 'workspace/private/run.sh'), '#!/bin/sh\n')
    await writeFile(join(disk, 'workspace/secret'), 'x')
    await chmod(join(disk, 'workspace/private/run.sh'), 0o755)
    await chmod(join(disk, 'workspace/secret'), 0o400)
    const date = new Date('2024-02-29T12:34:56.789Z')
    await utimes(join(disk, 'workspace/secret'), date, date)
    await chmod(join(disk, 'workspace/private'), 0o700)
    await utimes(join(disk, 'workspace/private'), date, date)
    const other = await restored(disk)
    const modeOf = async (path: string) => (await stat(join(other, path))).mode & 0o7777
    expect(await modeOf('workspace/private/run.sh')).toBe(0o755)
    expect(await modeOf('workspace/secret')).toBe(0o400)
    expect(await modeOf('workspace/private')).toBe(0o700)
    expect(await modeOf('workspace')).toBe(0o755)
    for (const path of ['workspace/secret', 'workspace/private'])
      expect(Math.abs((await stat(join(other, path))).mtimeMs - date.getTime())).toBeLessThan(1)
  })

  test('links as links, and no pipes, sockets or temporary files', async () => {
    const disk = await on.disk()
    await mkdir(join(disk, 'workspace'))
    await writeFile(join(disk, 'workspace/file'), 'text')
    await symlink('file', join(disk, 'workspace/near'))
    await symlink('/etc/passwd', join(disk, 'workspace/far'))
    await symlink('nowhere', join(disk, 'workspace/broken'))
    await symlink('/etc', join(disk, 'workspace/folder'))
    execFileSync('mkfifo', [join(disk, 'workspace/pipe')])
    const server = createServer().listen(join(disk, 'workspace/socket'))
    await writeFile(join(disk, 'workspace/.files-0123456789abcdef'), 'left from a killed restore')
    const other = await restored(disk)
    server.close()
    expect((await readdir(join(other, 'workspace'))).sort()).toEqual([
      'broken',
      'far',
      'file',
      'folder',
      'near',
    ])
    expect(await readlink(join(other, 'workspace/far'))).toBe('/etc/passwd')
    expect(await readlink(join(other, 'workspace/folder'))).toBe('/etc')
    expect(on.store.texts()).toEqual({ 'workspace/file': 'text' })
  })

  test('names that are not UTF-8, or as long as a name can be', async () => {
    const disk = await on.disk()
    const odd = [
      Buffer.from([0x66, 0xff, 0xfe]),
      Buffer.from('ü\u2028\n\\"'),
      Buffer.from('n'.repeat(255)),
      Buffer.from('ä'.repeat(127)),
      Buffer.from('-wal'),
    ].map(nameOf)
    for (const name of odd) {
      mkdirSync(pathIn(disk, name), { recursive: true })
      await writeFile(pathIn(disk, name, name), name)
    }
    const other = await restored(disk)
    for (const name of odd)
      expect(await readFile(pathIn(other, name, name), 'utf8')).toBe(Buffer.from(name).toString())
    // The marker also survives such names.
    on.store.asked.length = 0
    await (await on.open(other)).close()
    expect(on.store.asked.filter((path) => path.startsWith('/objects'))).toEqual([])
  })

  test('files larger than a piece, of which only changed pieces are stored again', async () => {
    const disk = await on.disk()
    const piece = 8 * 1024 * 1024
    const content = Buffer.alloc(2 * piece + 1000)
    for (let at = 0; at < content.length; at += 4) content.writeUInt32LE(at, at)
    await writeFile(join(disk, 'large'), content)
    const files = await on.open(disk)
    await files.sync()
    const before = new Set(on.store.objects.keys())
    await using handle = await open(join(disk, 'large'), 'r+')
    await handle.write('changed', piece + 5)
    content.write('changed', piece + 5)
    await files.sync()
    const added = [...on.store.objects].filter(([id]) => !before.has(id))
    const bytes = added.reduce((sum, [, object]) => sum + object.length, 0)
    expect(bytes).toBeGreaterThan(piece)
    expect(bytes).toBeLessThan(piece + 10_000)
    const other = await on.disk()
    await on.open(other)
    expect((await readFile(join(other, 'large'))).equals(content)).toBe(true)
  })
})

test('a file that grows while it is read is stored as it was at one moment', async () => {
  const disk = await on.disk()
  const path = join(disk, 'log')
  appendFileSync(path, 'x'.repeat(3_000_000))
  const files = await on.open(disk)
  const growing = setInterval(() => appendFileSync(path, 'y'.repeat(1000)), 1)
  await files.sync()
  clearInterval(growing)
  const stored = on.store.texts()['log'] ?? ''
  expect(stored).toMatch(/^x{3000000}y*$/)
  expect(on.store.row.bytes).toBe(stored.length)
  await files.sync()
  expect(on.store.texts()['log']).toBe(await readFile(path, 'utf8'))
})

test('a link is not followed, even if it replaces a folder that was stored', async () => {
  const disk = await on.disk()
  const outside = await on.disk()
  await mkdir(join(disk, 'a'))
  await writeFile(join(disk, 'a/file'), 'own')
  const files = await on.open(disk)
  await files.sync()
  await files.close()
  await writeFile(join(outside, 'file'), 'of another')
  await unlink(join(disk, 'a/file'))
  execFileSync('rmdir', [join(disk, 'a')])
  await symlink(outside, join(disk, 'a'))
  on.store.change({ 'a/file': 'new', 'a/more': 'new' })
  const later = await on.open(disk)
  await later.sync()
  // The platform's folder replaced the link, and nothing was written through it.
  expect((await lstat(join(disk, 'a'))).isDirectory()).toBe(true)
  expect(await readFile(join(disk, 'a/file'), 'utf8')).toBe('new')
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('of another')
  expect(await readdir(outside)).toEqual(['file'])
})

test('new files beyond the limit are left out, with one log line', async () => {
  const disk = await on.disk()
  on.store.fileLimit = 3
  for (const name of ['a', 'b', 'c', 'd', 'e']) await writeFile(join(disk, name), name)
  const files = await on.open(disk)
  await files.sync()
  expect(Object.keys(on.store.texts())).toEqual(['a', 'b', 'c'])
  expect(on.lines).toEqual(['Files: 2 new files are left out, because the agent has too many'])
  await unlink(join(disk, 'a'))
  await files.sync()
  expect(Object.keys(on.store.texts())).toEqual(['b', 'c', 'd'])
})
