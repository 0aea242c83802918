import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TreeNode } from '#shared/tools/explorer/files/schema.ts'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'

let explorer: Explorer

beforeAll(async () => {
  explorer = await startExplorer()
})
afterAll(() => explorer.close())

/** Returns the names and kinds of a tree as indented lines. */
function drawn(node: TreeNode, indent = ''): string[] {
  const lines: string[] = []
  for (const child of node.children ?? []) {
    lines.push(`${indent}${child.name}${child.type === 'folder' ? '/' : ''}`)
    lines.push(...drawn(child, `${indent}  `))
  }
  return lines
}

async function tree(query = '', of = explorer) {
  const [status, body] = await of.call<{ root: TreeNode }>('GET', `/api/browse/tree${query}`)
  expect(status).toBe(200)
  return body.root
}

describe('GET /api/browse/tree', () => {
  it('lists folders first, both alphabetical, without build output and dependencies', async () => {
    await using own = await startedWith([
      'b.txt',
      'A.txt',
      'é.txt',
      'src/one/two/three/deep.ts',
      'src/main.ts',
      'Lib/x',
      ...['node_modules', '.git', '.next', 'dist', 'build', '.cache', '__pycache__'].flatMap(
        (name) => [`${name}/inside`, `src/${name}/inside`],
      ),
    ])
    await symlink(own.outside, join(own.root, 'link'))
    await symlink('b.txt', join(own.root, 'link.txt'))
    expect(drawn(await tree('', own))).toEqual([
      'Lib/',
      '  x',
      'src/',
      '  one/',
      '    two/',
      '  main.ts',
      'A.txt',
      'b.txt',
      'é.txt',
    ])
    const [, src] = (await tree('?depth=1', own)).children ?? []
    expect(src).toEqual({ name: 'src', path: 'src', type: 'folder', children: [] })
    const deepest = await tree('?depth=9', own)
    expect(deepest).toEqual(await tree('?depth=4', own))
    expect(drawn(deepest)).toContain('      three/')
    expect(drawn(deepest)).not.toContain('        deep.ts')
  })

  it.each(['-1', 'x', '1.5', ''])('rejects a depth of %j', async (depth) => {
    const [status] = await explorer.call('GET', `/api/browse/tree?depth=${depth}`)
    expect(status).toBe(400)
  })

  it('truncates a tree that exceeds the response size, and names the place', async () => {
    await using own = await startedWith(['a/first'])
    const long = 'n'.repeat(240)
    await mkdir(join(own.root, 'z'))
    const names = Array.from({ length: 9000 }, (_, i) => `${long}${i}`)
    await Promise.all(names.map((name) => writeFile(join(own.root, 'z', name), '')))
    const root = await tree('', own)
    expect(Buffer.byteLength(JSON.stringify(root))).toBeLessThan(5_000_000)
    const [a, z] = root.children ?? []
    expect(a?.children).toHaveLength(1)
    expect(z?.truncated).toBe(true)
    expect(z?.children?.length).toBeGreaterThan(5000)
  })
})

describe('GET /api/browse/read', () => {
  it('returns a text with its size in bytes and its time', async () => {
    await explorer.put('docs/naïve file.md', '\u{feff}é\r\n')
    await utimes(join(explorer.root, 'docs/naïve file.md'), 1_700_000_000, 1_700_000_000)
    expect(await explorer.read('docs/./x/../naïve file.md')).toEqual([
      200,
      {
        ok: true,
        path: 'docs/naïve file.md',
        content: '\u{feff}é\r\n',
        size: 7,
        modified: '2023-11-14T22:13:20.000Z',
      },
    ])
  })

  it('reads at most 1,048,576 bytes', async () => {
    await explorer.put('most', 'x'.repeat(1_048_576))
    expect(await explorer.read('most')).toMatchObject([200, { size: 1_048_576 }])
    await explorer.put('more', 'x'.repeat(1_048_577))
    expect(await explorer.read('more')).toEqual([400, { error: 'path is larger than 1 MB' }])
  })

  it.each([
    ['a zero byte', Buffer.from('a\0b')],
    ['broken UTF-8', Buffer.from([0x61, 0xff])],
    ['a truncated character', Buffer.from([0x61, 0xe2, 0x82])],
  ])('rejects a file with %s', async (_, content) => {
    await explorer.put('binary', content)
    expect(await explorer.read('binary')).toEqual([400, { error: 'path is a binary file' }])
  })

  it.each([
    ['missing', 404],
    ['missing/below', 404],
    ['file/below', 404],
    ['file/', 400],
    ['folder', 400],
    ['.', 400],
  ])('returns for %s the status %i', async (path, status) => {
    await explorer.put('file', 'x')
    await explorer.put('folder/file', 'x')
    expect(await explorer.read(path)).toEqual([status, { error: expect.any(String) }])
  })

  it.each(['', '?path='])('requires a path: %j', async (query) => {
    expect(await explorer.call('GET', `/api/browse/read${query}`)).toEqual([
      400,
      { error: 'path required' },
    ])
  })
})

describe('POST /api/browse/write', () => {
  it('creates a file with its parent folders, and returns its bytes', async () => {
    expect(await explorer.write('new/deep/é.txt', 'é\n')).toEqual([
      200,
      { ok: true, path: 'new/deep/é.txt', size: 3 },
    ])
    expect(await readFile(join(explorer.root, 'new/deep/é.txt'), 'utf8')).toBe('é\n')
    expect(await readdir(join(explorer.root, 'new/deep'))).toEqual(['é.txt'])
  })

  it('keeps the mode of an existing file, and can empty one', async () => {
    await explorer.put('run.sh', 'old')
    await chmod(join(explorer.root, 'run.sh'), 0o750)
    expect(await explorer.write('run.sh', '')).toMatchObject([200, { size: 0 }])
    const { mode, size } = await stat(join(explorer.root, 'run.sh'))
    expect([mode & 0o7777, size]).toEqual([0o750, 0])
  })

  it('replaces a file atomically under concurrent writes', async () => {
    const texts = ['a', 'b'].map((letter) => letter.repeat(200_000))
    await explorer.write('whole', texts[0])
    const writes = Array.from({ length: 100 }, (_, i) => explorer.write('whole', texts[i % 2]))
    const reads = Array.from({ length: 200 }, () => explorer.read('whole'))
    for (const [status] of await Promise.all(writes)) expect(status).toBe(200)
    for (const [status, { content }] of await Promise.all(reads)) {
      expect(status).toBe(200)
      expect(texts.includes(content as string)).toBe(true)
    }
  })

  it('removes the temporary file of a killed writer, which no route lists in the meantime', async () => {
    const remaining = `left/.unfinished-${'0'.repeat(16)}`
    const young = `left/.unfinished-${'1'.repeat(16)}`
    await explorer.put(remaining, 'ha')
    await explorer.put(young, 'ha')
    await utimes(join(explorer.root, remaining), 1, 1)
    expect((await explorer.read(remaining))[0]).toBe(404)
    expect(drawn(await tree()).join()).not.toContain('unfinished')
    await explorer.write('left/whole', 'x')
    expect((await readdir(join(explorer.root, 'left'))).sort()).toEqual([
      `.unfinished-${'1'.repeat(16)}`,
      'whole',
    ])
  })

  it.each([
    [{ content: 'x' }, 'path required'],
    [{ path: '', content: 'x' }, 'path required'],
    [{ path: 'x' }, 'content required'],
    [{ path: 'x', content: 1 }, 'content required'],
    [{ path: ['x'], content: 'x' }, 'path required'],
  ])('rejects %j', async (body, error) => {
    expect(await explorer.call('POST', '/api/browse/write', { body })).toEqual([400, { error }])
  })

  it.each([
    ['taken/by-file/x', 404],
    ['folder-there', 400],
    ['ends/', 400],
    ['n'.repeat(256), 400],
    [`${'n'.repeat(256)}/x`, 400],
  ])('returns for a write of %s the status %i', async (path, status) => {
    await explorer.put('taken/by-file', 'x')
    await explorer.put('folder-there/x', 'x')
    expect(await explorer.write(path)).toEqual([status, { error: expect.any(String) }])
  })
})

async function startedWith(paths: string[]) {
  const own = await startExplorer()
  for (const path of paths) await own.put(path, '')
  return Object.assign(own, { [Symbol.asyncDispose]: () => own.close() })
}

describe('without WORKSPACE_ROOT', () => {
  it('deployed, every route returns 503 and names it', async () => {
    await using own = await startedWith([])
    const { call } = await startExplorer({
      root: undefined,
      deployed: true,
      table: own.services.table,
    })
    const body = { path: 'x', content: 'x' }
    for (const answer of [
      await call('GET', '/api/browse/tree'),
      await call('GET', '/api/browse/read?path=x'),
      await call('POST', '/api/browse/write', { body }),
    ])
      expect(answer).toEqual([
        503,
        { error: 'The file explorer is not configured', missing: ['WORKSPACE_ROOT'] },
      ])
  })

  it('on one machine, a missing root is created', async () => {
    await using own = await startedWith([])
    const { call } = await startExplorer({ root: join(own.dir, 'later/root') })
    expect(await call('GET', '/api/browse/tree')).toEqual([
      200,
      { ok: true, root: { name: 'root', path: '', type: 'folder', children: [] } },
    ])
  })
})
