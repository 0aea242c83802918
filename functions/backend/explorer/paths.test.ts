import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'

let explorer: Explorer

beforeAll(async () => {
  explorer = await startExplorer()
  const { root, outside, dir } = explorer
  await writeFile(join(outside, 'secret'), 'secret')
  await mkdir(join(dir, 'workspace-2'))
  await writeFile(join(dir, 'workspace-2', 'secret'), 'secret')
  await explorer.put('in/side', 'x')
  await symlink(outside, join(root, 'link'))
  await symlink('../../outside', join(root, 'in/link'))
  await symlink(join(outside, 'secret'), join(root, 'link.txt'))
  await symlink('in/side', join(root, 'harmless'))
  await symlink('in', join(root, 'harmless-folder'))
  await symlink('loop', join(root, 'loop'))
  await symlink(join(outside, 'not-there'), join(root, 'dangling'))
  await explorer.put('.git/config', '[core]')
  await explorer.put('sub/.git/config', '[core]')
})
afterAll(() => explorer.close())

/** Expects that everything outside the root is unchanged. */
async function expectOutsideUntouched() {
  const { outside, dir, root } = explorer
  expect(await readdir(outside)).toEqual(['secret'])
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret')
  expect((await readdir(dir)).sort()).toEqual(['outside', 'workspace', 'workspace-2'])
  expect(await readdir(join(dir, 'workspace-2'))).toEqual(['secret'])
  expect(await readFile(join(root, '.git/config'), 'utf8')).toBe('[core]')
}

const refused = [
  '..',
  '../outside/secret',
  '../workspace-2/secret',
  'in/../../outside/secret',
  'in/.././../outside/secret',
  './../outside/secret',
  '../workspace/in/side',
  '/etc/passwd',
  '//etc/passwd',
  'in/side\0',
  'in\0/../../outside/secret',
  'link/secret',
  'link/new/file',
  'in/link/secret',
  'link.txt',
  'harmless',
  'harmless-folder/side',
  'loop',
  'loop/x',
  'dangling',
  '.git/config',
  '.git/hooks/post-commit',
  'sub/.git/config',
  'sub/.GIT/config',
  'x/.Git/hooks/pre-push',
  '.git',
  './.git/config',
  'in/../.git/config',
]

describe('a path to another folder, through a link or into a repository', () => {
  it.each(refused)('%j is neither read nor written', async (path) => {
    const refusal = [400, { error: expect.stringMatching(/^path /) }]
    expect(await explorer.read(path)).toEqual(refusal)
    expect(await explorer.write(path, 'overwritten')).toEqual(refusal)
    await expectOutsideUntouched()
  })

  it('is rejected by the absolute path of the root itself too', async () => {
    const path = join(explorer.root, 'in/side')
    expect((await explorer.read(path))[0]).toBe(400)
    expect((await explorer.write(path))[0]).toBe(400)
  })

  it.each([
    '%2e%2e%2foutside%2fsecret',
    '%2e%2e/outside/secret',
    '..%2foutside/secret',
    '%2fetc%2fpasswd',
    'in%2fside%00',
  ])('is rejected in every URL encoding: %s', async (path) => {
    expect((await explorer.call('GET', `/api/browse/read?path=${path}`))[0]).toBe(400)
  })

  it.each(['..%2foutside%2fsecret', '%2e%2e/outside/secret', '..\\outside\\secret'])(
    'is an ordinary name if it is encoded twice: %j',
    async (path) => {
      expect((await explorer.read(path))[0]).toBe(404)
      await expectOutsideUntouched()
    },
  )

  it('is not in the tree', async () => {
    const [, body] = await explorer.call('GET', '/api/browse/tree?depth=4')
    expect(JSON.stringify(body)).not.toMatch(/link|loop|harmless|dangling|secret|config/)
  })
})

describe('a special file', () => {
  it('is rejected, and a pipe does not block', async () => {
    execFileSync('mkfifo', [join(explorer.root, 'pipe')])
    const server = createServer().listen(join(explorer.root, 'socket'))
    await once(server, 'listening')
    for (const path of ['pipe', 'socket']) {
      const refusal = [400, { error: 'path is not a regular file' }]
      expect(await explorer.read(path)).toEqual(refusal)
      expect(await explorer.write(path)).toEqual(refusal)
    }
    server.close()
    await once(server, 'close')
  })
})

describe('names that shells and file formats treat specially', () => {
  it.each([
    '-rf',
    '--help',
    'a\nb',
    'a"b',
    "a'b",
    '`id`',
    '$(id)',
    'a b',
    '…',
    '漢字',
    'a\u0301',
    '\u{1f600}',
    ' ',
    '...',
    'a\\b',
    'CON',
    '*',
    '~',
    '#',
    '%00',
  ])('%j is written, read and listed', async (name) => {
    const path = `names/${name}`
    expect(await explorer.write(path, name)).toMatchObject([200, { path }])
    expect(await explorer.read(path)).toMatchObject([200, { path, content: name }])
    const [, body] = await explorer.call('GET', '/api/browse/tree')
    expect(JSON.stringify(body)).toContain(JSON.stringify(path))
  })
})

describe.each([
  ['GET', '/api/browse/tree'],
  ['GET', '/api/browse/read?path=in/side'],
  ['POST', '/api/browse/write'],
])('%s %s', (method, path) => {
  it.each([
    [null, 401],
    ['sk_0123456789', 403],
    ['wrong', 403],
  ])('a request with the bearer %j returns %i', async (bearer, status) => {
    const body = method === 'POST' ? { path: 'in/side', content: 'stolen' } : undefined
    const answer = await explorer.call(method, path, { bearer, ...(body && { body }) })
    expect(answer).toEqual([status, { error: expect.any(String) }])
    expect(await readFile(join(explorer.root, 'in/side'), 'utf8')).toBe('x')
  })
})
