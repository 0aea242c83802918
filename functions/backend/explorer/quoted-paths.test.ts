import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TreeNode } from '#shared/tools/explorer/files/schema.ts'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'

let explorer: Explorer

beforeEach(async () => {
  explorer = await startExplorer()
})
afterEach(() => explorer.close())

const raw = (name: string) => Buffer.from(`${explorer.root}/${name}`, 'latin1')

describe('the routes for files', () => {
  const listed = async () => {
    const [, { root }] = await explorer.call<{ root: TreeNode }>('GET', '/api/browse/tree')
    const pathsOf = ({ path, children = [] }: TreeNode): string[] => [
      path,
      ...children.flatMap(pathsOf),
    ]
    return pathsOf(root).slice(1)
  }
  const read = async (path: string) =>
    explorer.call<{ path: string; content: string }>(
      'GET',
      `/api/browse/read?path=${encodeURIComponent(path)}`,
    )

  it.each([
    ['caf\xe9.txt', '"caf\\351.txt"'],
    ['d\xff/in', '"d\\377/in"'],
    ['"quoted"', '"\\"quoted\\""'],
    ['"caf\\351.txt"', '"\\"caf\\\\351.txt\\""'],
    ['back\\slash', 'back\\slash'],
    ['caf\xc3\xa9.txt', 'caf\u00e9.txt'],
  ])('list, read and write a name with the bytes %j by the path %j', async (name, path) => {
    await mkdir(raw('d\xff'))
    await writeFile(raw(name), 'old\n')
    expect(await listed()).toContain(path)
    expect(await read(path)).toEqual([200, expect.objectContaining({ path, content: 'old\n' })])
    const body = { path, content: 'new\n' }
    const [status, written] = await explorer.call('POST', '/api/browse/write', { body })
    expect([status, written]).toEqual([200, { ok: true, path, size: 4 }])
    expect(await readFile(raw(name), 'utf8')).toBe('new\n')
  })

  it.each([
    ['"..\\057out"', 400],
    ['"\\057etc/passwd"', 400],
    ['"a\\000b"', 400],
    ['"\\056git/config"', 400],
    ['"no such escape \\q"', 404],
  ])('check the decoded path %j: %i', async (path, expected) => {
    expect((await read(path))[0]).toBe(expected)
  })
})
