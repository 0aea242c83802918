import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agoInWords } from '#shared/tools/explorer/git/relative-date.ts'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'
import { beginRepository, repositoriesIn } from '#tests/support/tools/git-repositories.ts'
import { type GitCommand, gitIn } from '#tests/support/tools/git.ts'

let explorer: Explorer
let git: GitCommand

beforeEach(async () => {
  explorer = await startExplorer()
  git = gitIn(explorer.root)
})
afterEach(() => explorer.close())

async function ask(path: string): Promise<Record<string, unknown>> {
  const [status, body] = await explorer.call('GET', `/api/browse/${path}`)
  expect([status, body]).toEqual([200, expect.objectContaining({ ok: true })])
  return body
}

const options = ['--no-renames', '--ignore-submodules=dirty']

/** Returns the output of the real git for the same repository. */
async function fromGit() {
  const porcelain = await git('status', '--porcelain=v1', '-z', '-uall', ...options)
  const changes = porcelain
    .split('\0')
    .filter(Boolean)
    .map((line) => ({ status: line.slice(0, 2).trim(), path: line.slice(3) }))
  return {
    changes,
    unstaged: (await git('diff', '--ours', ...options)) || null,
    staged: (await git('diff', '--cached', ...options)) || null,
    commits: (await git('log', '-z', '--format=%H%n%h%n%an%n%ar%n%s').catch(() => ''))
      .split('\0')
      .filter(Boolean)
      .map((text) => text.split('\n'))
      .map(([hash, shortHash, author, date, subject]) => ({
        hash,
        shortHash,
        subject,
        author,
        date,
      })),
  }
}

async function expectAsGit() {
  const expected = await fromGit()
  // The diff must come first: git status refreshes the index and would hide the case under test.
  const { unstaged, staged } = await ask('git-diff')
  expect({ unstaged, staged }).toEqual({ unstaged: expected.unstaged, staged: expected.staged })
  const { changes, hasChanges } = await ask('git-status')
  expect(changes).toEqual(expected.changes)
  expect(hasChanges).toBe(expected.changes.length > 0)
  const { commits } = await ask('git-log?limit=100')
  expect(commits).toEqual(expected.commits)
  return expected
}

const at = (path: string) => join(explorer.root, path)
const begin = (files?: Record<string, string>) => beginRepository(explorer, git, files)

const kinds = [
  'with nothing in it',
  'before its first commit',
  'with nothing changed',
  'with files changed, added, deleted, staged and both',
  'with modes, links and kinds changed',
  'with long files changed in many places',
  'with binary files',
  'with names that must be quoted',
  'with rules that leave files out',
  'in the middle of a merge with conflicts',
  'with merges in its history',
  'on no branch',
  'with a submodule and a repository in it',
  'with an index of version 4',
  'with bits in its index',
  'that takes no notice of modes',
  'packed, with a shallow history',
] as const

describe('a repository', () => {
  it.each(kinds)('%s is reported as git reports it', async (kind) => {
    await repositoriesIn(explorer, git)[kind]()
    await expectAsGit()
  })

  it('changed in the same moment as its index counts as changed', async () => {
    await begin({ file: 'aaaa\n' })
    await git('status')
    for (const text of ['bbbb\n', 'cccc\n', 'aaaa\n']) {
      await writeFile(at('file'), text)
      const { changes } = await ask('git-status')
      expect(changes).toEqual(text === 'aaaa\n' ? [] : [{ status: 'M', path: 'file' }])
    }
  })

  it('is not changed by any of the requests', async () => {
    await begin()
    await explorer.put('a.txt', 'changed\n')
    const before = await readFile(at('.git/index'))
    for (const path of ['git-status', 'git-diff', 'git-log']) await ask(path)
    expect((await readFile(at('.git/index'))).equals(before)).toBe(true)
    expect(await git('fsck', '--strict')).toBe('')
  })
})

describe('GET /api/browse/git-status', () => {
  it('outside of a repository reports only that', async () => {
    expect(await explorer.call('GET', '/api/browse/git-status')).toEqual([
      200,
      { ok: true, isGitRepo: false },
    ])
  })

  it.each([
    ['https://user:hush@git.example.com/a/b.git', 'https://git.example.com/a/b.git'],
    ['https://hush@git.example.com/a', 'https://git.example.com/a'],
    ['https://user:hu@sh@git.example.com/a', 'https://git.example.com/a'],
    ['ssh://git@git.example.com/a', 'ssh://git.example.com/a'],
    ['git@git.example.com:a/b', 'git@git.example.com:a/b'],
    ['../elsewhere', '../elsewhere'],
  ])('returns the remote %s as %s', async (url, shown) => {
    await begin()
    await git('remote', 'add', 'origin', url)
    expect(await ask('git-status')).toMatchObject({ branch: 'main', remote: shown })
    await git('remote', 'add', 'up', 'https://up.example.com/')
    await git('config', 'branch.main.remote', 'up')
    expect(await ask('git-status')).toMatchObject({ remote: 'https://up.example.com/' })
  })

  it('returns branch names with slashes, and HEAD if no branch is checked out', async () => {
    await begin()
    expect(await ask('git-status')).toMatchObject({ branch: 'main', remote: null })
    await git('checkout', '-qb', 'feature/one')
    expect(await ask('git-status')).toMatchObject({ branch: 'feature/one' })
    await git('checkout', '-q', '--detach')
    expect(await ask('git-status')).toMatchObject({ branch: 'HEAD' })
  })
})

describe('GET /api/browse/git-diff', () => {
  it('returns one file or folder by its path', async () => {
    await begin({ 'a/one': 'x\n', 'a/two': 'x\n', ab: 'x\n', 'a*': 'x\n' })
    for (const name of ['a/one', 'a/two', 'ab', 'a*']) await explorer.put(name, 'y\n')
    for (const path of ['a', 'a/one', 'a/', 'ab', 'a*', 'none', '.']) {
      const expected = (await git('diff', '--', `:(literal)${path}`)) || null
      const { unstaged, staged } = await ask(`git-diff?path=${encodeURIComponent(path)}`)
      expect([path, unstaged, staged]).toEqual([path, expected, null])
    }
  })

  it.each(['../x', '/etc', 'a\0', '.git/config', 'a/../../x'])(
    'rejects the path %j',
    async (path) => {
      await begin()
      const [status] = await explorer.call(
        'GET',
        `/api/browse/git-diff?path=${encodeURIComponent(path)}`,
      )
      expect(status).toBe(400)
    },
  )

  it('outside of a repository is null', async () => {
    expect(await ask('git-diff')).toEqual({ ok: true, unstaged: null, staged: null })
  })

  it('omits files that exceed the response size, and reports it', async () => {
    await begin({ large: 'x\n', small: 'x\n' })
    await explorer.put('large', 'line\n'.repeat(600_000))
    await explorer.put('small', 'y\n')
    const { unstaged } = await ask('git-diff')
    expect(unstaged).toContain('+++ b/small')
    expect(unstaged).toMatch(
      /\n# Omitted because of the size of the response: 1 more, beginning with "large"; request them by path\n$/,
    )
  })
})

describe('GET /api/browse/git-log', () => {
  it('returns 20 commits by default and at most 100', async () => {
    await begin()
    expect((await ask('git-log?limit=0')).commits).toEqual([])
    const stream = Array.from(
      { length: 120 },
      (_, i) =>
        `commit refs/heads/main\nmark :${i + 1}\ncommitter Ada <a@b.co> ${1_700_000_000 + i} +0000\ndata 2\nx${i % 10}\n${i === 0 ? 'from refs/heads/main^0\n' : ''}\n`,
    )
    await writeFile(at('.git/import'), stream.join(''))
    await git('-c', 'alias.imp=!git fast-import --quiet < .git/import', 'imp')
    for (const [query, count] of [
      ['', 20],
      ['?limit=3', 3],
      ['?limit=500', 100],
    ] as const)
      expect((await ask(`git-log${query}`)).commits).toHaveLength(count)
  })

  it('returns the age of a commit in git’s words', async () => {
    await begin()
    const day = 86_400
    const now = 1_700_000_000
    const borders = [0, 1, 89, 90, 91, 5369, 5370, 5371, 127_799, 127_800, 1_166_399, 1_166_400]
    const ages = [
      ...borders,
      ...Array.from({ length: 330 }, (_, i) => Math.floor(1.06 ** i)).filter((age) => age < now),
      ...Array.from({ length: 2200 }, (_, i) => i * day + 43_199),
    ]
    const stream = ages.map(
      (age) => `commit refs/heads/ages\ncommitter Ada <a@b.co> ${now - age} +0000\ndata 1\nx\n\n`,
    )
    await writeFile(at('.git/import'), stream.join(''))
    await git('-c', 'alias.imp=!git fast-import --quiet < .git/import', 'imp')
    const then = gitIn(explorer.root, { GIT_TEST_DATE_NOW: String(now) })
    const lines = (await then('log', '--topo-order', '--format=%at %ar', 'ages')).trim().split('\n')
    expect(lines).toHaveLength(ages.length)
    for (const line of lines) {
      const [time = '', ...words] = line.split(' ')
      expect([time, agoInWords(Number(time), now)]).toEqual([time, words.join(' ')])
    }
  })

  it('outside of a repository is empty', async () => {
    expect(await ask('git-log')).toEqual({ ok: true, commits: [] })
  })
})
