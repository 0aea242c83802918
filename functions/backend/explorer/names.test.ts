import { execFile } from 'node:child_process'
import { lstat, mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'
import { beginRepository } from '#tests/support/tools/git-repositories.ts'
import { type GitCommand, gitIn } from '#tests/support/tools/git.ts'

let explorer: Explorer
let git: GitCommand

beforeEach(async () => {
  explorer = await startExplorer()
  git = gitIn(explorer.root)
})
afterEach(() => explorer.close())

const raw = (name: string) => Buffer.from(`${explorer.root}/${name}`, 'latin1')
const at = (name: string) => join(explorer.root, name)
const sync = () =>
  explorer.call<{ committed: boolean; error?: string }>('POST', '/api/browse/git-sync', {
    body: { message: 'x' },
  })
const changes = async () => {
  const [status, body] = await explorer.call<{ changes: unknown[] }>(
    'GET',
    '/api/browse/git-status',
  )
  expect(status).toBe(200)
  return body.changes
}
const names = () => git('-c', 'core.quotePath=true', 'ls-tree', '-r', '--name-only', 'HEAD')

describe('a name that is not UTF-8', () => {
  it('stays in place when another file is committed, and is committed when it is new', async () => {
    await beginRepository(explorer, git)
    await writeFile(raw('caf\xe9.txt'), 'old\n')
    await mkdir(raw('d\xff'))
    await writeFile(raw('d\xff/in'), 'old\n')
    await git('add', '-A')
    await git('commit', '-qm', 'names')
    expect(await changes()).toEqual([])
    await explorer.put('a.txt', 'changed\n')
    await writeFile(raw('new\xc3\x28\xe9'), 'new\n')
    await writeFile(raw('d\xff/in'), 'changed\n')
    expect(await changes()).toEqual([
      { status: 'M', path: 'a.txt' },
      { status: 'M', path: '"d\\377/in"' },
      { status: '??', path: '"new\\303(\\351"' },
    ])
    const [, { unstaged }] = await explorer.call('GET', '/api/browse/git-diff')
    expect(unstaged).toBe(await git('diff'))
    const path = encodeURIComponent('"d\\377/in"')
    const [, one] = await explorer.call('GET', `/api/browse/git-diff?path=${path}`)
    expect(one.unstaged).toBe(await git('diff', '--', '[d]*/in'))
    expect(await sync()).toEqual([200, expect.objectContaining({ committed: true })])
    expect(await names()).toBe('a.txt\n"caf\\351.txt"\n"d\\377/in"\n"new\\303(\\351"\n')
    expect(await git('status', '--porcelain')).toBe('')
    expect(await git('fsck', '--strict', '--no-dangling')).toBe('')
    await rm(raw('caf\xe9.txt'))
    expect(await changes()).toEqual([{ status: 'D', path: '"caf\\351.txt"' }])
    await sync()
    expect(await names()).not.toContain('caf')
  })
})

describe('unreadable content is rejected by its name, and no sync deletes it', () => {
  it.each<[string, RegExp, () => Promise<unknown>]>([
    [
      'a pipe in the place of a file',
      /a\.txt is neither a file nor a link/,
      async () => {
        await rm(at('a.txt'))
        await promisify(execFile)('mkfifo', [at('a.txt')])
      },
    ],
    [
      'an invalid file name',
      /x{300} has a name that is too long/,
      async () => {
        const oid = (await git('rev-parse', 'HEAD:a.txt')).trim()
        await git('update-index', '--add', '--cacheinfo', `100644,${oid},${'x'.repeat(300)}`)
        await git('commit', '-qm', 'long')
      },
    ],
    [
      'names that differ by case on a case-insensitive disk',
      /README differs from another file’s name/,
      async () => {
        const oid = (await git('rev-parse', 'HEAD:a.txt')).trim()
        await explorer.put('readme', 'x\n')
        await git('add', '-A')
        await git('update-index', '--add', '--cacheinfo', `100644,${oid},README`)
        await git('commit', '-qm', 'case')
        await git('config', 'core.ignoreCase', 'true')
      },
    ],
    [
      'a work tree in another folder',
      /core\.worktree/,
      () => git('config', 'core.worktree', '/tmp'),
    ],
    ['no work tree', /core\.bare/, () => git('config', 'core.bare', 'true')],
    [
      'an unknown extension',
      /extension compactor/,
      async () => {
        await git('config', 'extensions.compactor', 'true')
        await git('config', 'core.repositoryformatversion', '1')
      },
    ],
    ['a split index', /extension "link"/, () => git('update-index', '--split-index')],
    [
      'a sparse index',
      /extension "sdir"/,
      async () => {
        await explorer.put('deep/er/file', 'x\n')
        await git('add', '-A')
        await git('commit', '-qm', 'deep')
        await git('sparse-checkout', 'set', '--cone', '--sparse-index', 'other')
      },
    ],
    [
      'hashes of SHA-256',
      /format sha256/,
      async () => {
        await rm(at('.git'), { recursive: true })
        await git('init', '-q', '--object-format=sha256')
      },
    ],
    [
      'a work tree of another repository',
      /not a git repository/,
      async () => {
        await rename(at('.git'), join(explorer.dir, 'elsewhere'))
        await explorer.put('.git', `gitdir: ${join(explorer.dir, 'elsewhere')}\n`)
      },
    ],
  ])('%s', async (_, reason, change) => {
    await beginRepository(explorer, git, { 'a.txt': 'x\n', 'b.txt': 'x\n' })
    await change()
    await explorer.put('b.txt', 'changed\n')
    const [status, { error }] = await sync()
    expect([status, error]).toEqual([500, expect.stringMatching(reason)])
  })

  it('a file that the index marks as unchanged, or that is not checked out', async () => {
    await beginRepository(explorer, git, { assumed: 'x\n', skipped: 'x\n', other: 'x\n' })
    await git('update-index', '--assume-unchanged', 'assumed')
    await git('update-index', '--skip-worktree', 'skipped')
    await rm(at('assumed'))
    await rm(at('skipped'))
    await explorer.put('other', 'y\n')
    expect((await sync())[0]).toBe(200)
    expect(await names()).toBe('assumed\nother\nskipped\n')
  })

  it('file modes of old trees and links as files are not changes', async () => {
    await beginRepository(explorer, git)
    const oid = (await git('rev-parse', 'HEAD:a.txt')).trim()
    await explorer.put('link', 'a.txt')
    const link = (await git('hash-object', '-w', 'link')).trim()
    await explorer.put('tree', '')
    const tree = Buffer.concat([
      Buffer.from('100664 a.txt\0'),
      Buffer.from(oid, 'hex'),
      Buffer.from('120000 link\0'),
      Buffer.from(link, 'hex'),
    ])
    await writeFile(at('tree'), tree)
    const written = await git('hash-object', '-w', '-t', 'tree', '--literally', 'tree')
    await rm(at('tree'))
    const commit = await git('commit-tree', '-m', 'old', written.trim())
    await git('config', 'core.symlinks', 'false')
    await git('reset', '-q', '--hard', commit.trim())
    expect((await lstat(at('link'))).isFile()).toBe(true)
    expect(await changes()).toEqual([])
    expect(await sync()).toEqual([200, expect.objectContaining({ committed: false })])
  })
})

describe('line ends', () => {
  /** Expects the same diff and the same stored objects from git and the explorer. */
  async function expectAsGit(files: Record<string, string | Buffer>) {
    for (const [path, content] of Object.entries(files)) await explorer.put(path, content)
    const [, { unstaged }] = await explorer.call('GET', '/api/browse/git-diff')
    expect(unstaged).toBe((await git('diff', '--no-renames')) || null)
    const copy = join(explorer.dir, 'copy')
    await promisify(execFile)('cp', ['-a', explorer.root, copy])
    await gitIn(copy)('add', '-A')
    const expected = await gitIn(copy)('ls-files', '-s')
    expect((await sync())[0]).toBe(200)
    expect(await git('ls-files', '-s')).toBe(expected)
    expect(await git('status', '--porcelain')).toBe('')
  }

  it.each([
    ['core.autocrlf', ['core.autocrlf', 'true'], ''],
    ['core.autocrlf input', ['core.autocrlf', 'input'], ''],
    ['text=auto', [], '* text=auto\n'],
    ['text and its exceptions', [], '*.txt text\n*.md eol=crlf\n/dir/** -text\nb* binary\n'],
    [
      'macros, classes and names in quotes',
      [],
      '[attr]ours text\n[a-c].txt ours\n"d e.txt" text\n',
    ],
    ['the old name', [], '*.txt crlf\nd* -crlf\n'],
  ])('are normalised as git does: %s', async (_, config, attributes) => {
    await beginRepository(explorer, git, { 'a.txt': 'one\ntwo\n', 'b.bin': 'x', 'c.txt': 'a\r\n' })
    if (config.length > 0) await git('config', ...config)
    if (attributes !== '') await explorer.put('.gitattributes', attributes)
    await expectAsGit({
      'a.txt': 'one\r\ntwo\r\nthree\r\n',
      'b.bin': Buffer.from('a\r\nb\0'),
      'c.txt': 'a\r\nb\r\n',
      'd e.txt': 'a\r\nb\n',
      'f.md': 'lone\rone\r\n',
      'dir/x.txt': 'a\r\n',
      'dir/deep/.gitattributes': '*.txt text\n',
      'dir/deep/x.txt': 'a\r\n',
      'lf.txt': 'a\n',
    })
  })

  it('line ends of an unchanged file make no change, even in a copy of its work tree', async () => {
    await git('init', '-q', '-b', 'main')
    await git('config', 'core.autocrlf', 'true')
    await explorer.put(
      '.gitattributes',
      '*.dat filter=lfs\n*.utf16 working-tree-encoding=UTF-16LE\n',
    )
    await explorer.put('a.txt', 'one\r\ntwo\r\n')
    await explorer.put('b.dat', 'pointer\n')
    await explorer.put('c.utf16', Buffer.from('text', 'utf16le'))
    await git('add', '-A')
    await git('commit', '-qm', 'first')
    const index = await readFile(at('.git/index'))
    // Other inodes and another modification time.
    for (const name of ['a.txt', 'b.dat', 'c.utf16']) {
      await promisify(execFile)('cp', ['-p', at(name), join(explorer.dir, 'copy')])
      await rename(join(explorer.dir, 'copy'), at(name))
    }
    await utimes(at('a.txt'), 1, 1)
    await writeFile(at('.git/index'), index)
    expect(await changes()).toEqual([])
    for (const [name, reason] of [
      ['b.dat', /b\.dat requires the filter lfs/],
      ['c.utf16', /c\.utf16 has the working-tree-encoding UTF-16LE/],
    ] as const) {
      const content = await readFile(at(name))
      await explorer.put(name, Buffer.from('other words', 'utf16le'))
      const [status, { error }] = await sync()
      expect([status, error]).toEqual([500, expect.stringMatching(reason)])
      await writeFile(at(name), content)
    }
  })
})

it('a commit in another encoding is decoded by its header', async () => {
  await beginRepository(explorer, git)
  const message = join(explorer.dir, 'message')
  await writeFile(message, Buffer.from('caf\xe9\n', 'latin1'))
  const latin = gitIn(explorer.root, { GIT_AUTHOR_NAME: 'Ren\u00e9' })
  await latin(
    '-c',
    'i18n.commitEncoding=ISO-8859-1',
    'commit',
    '-q',
    '--allow-empty',
    '-F',
    message,
  )
  const [, { commits }] = await explorer.call<{ commits: object[] }>('GET', '/api/browse/git-log')
  expect(commits[0]).toMatchObject({ subject: 'café' })
})
