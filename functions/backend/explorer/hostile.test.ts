import { chmod, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

const questions = ['git-status', 'git-diff', 'git-log']
const at = (path: string) => join(explorer.root, path)
const ask = (question: string) => explorer.call('GET', `/api/browse/${question}`)

describe('no program that a repository configures runs', () => {
  /** Programs that a repository's configuration can name. Each leaves a trace if it runs. */
  const named: Record<string, string[]> = {
    'a file system monitor': ['core.fsmonitor'],
    'an external diff': ['diff.external', 'diff.traced.command'],
    'a conversion to text': ['diff.traced.textconv'],
    'a filter': ['filter.traced.clean', 'filter.traced.smudge', 'filter.traced.process'],
    'a pager, an editor and an alias': ['core.pager', 'core.editor', 'alias.status', 'pager.log'],
    'a credential helper': ['credential.helper', 'core.askPass'],
    'a program of ssh, of signing or for a remote': [
      'core.sshCommand',
      'gpg.program',
      'remote.origin.uploadpack',
    ],
    'a folder of hooks': ['core.hooksPath'],
  }

  it.each(Object.keys(named))('not %s', async (kind) => {
    await beginRepository(explorer, git)
    const trace = join(explorer.outside, 'trace')
    const program = join(explorer.outside, 'program')
    await writeFile(program, `#!/bin/sh\necho run >> '${trace}'\ncat\n`, { mode: 0o755 })
    for (const name of await readdir(at('.git/hooks')))
      await rename(at(`.git/hooks/${name}`), at(`.git/hooks/${name.replace('.sample', '')}`))
    for (const name of ['post-index-change', 'reference-transaction', 'pre-commit'])
      await writeFile(at(`.git/hooks/${name}`), `#!/bin/sh\necho run >> '${trace}'\n`, {
        mode: 0o755,
      })
    await explorer.put('.gitattributes', '* filter=traced diff=traced merge=traced\n')
    await explorer.put('a.txt', 'changed\n')
    for (const name of named[kind] ?? []) await git('config', name, program)
    for (const question of questions) expect((await ask(question))[0]).toBe(200)
    expect(await readdir(explorer.outside)).not.toContain('trace')
  })
})

describe('ignore rules', () => {
  beforeEach(async () => {
    await beginRepository(explorer, git)
    await explorer.put(`${'a'.repeat(200)}c`, '')
  })

  it.each(['*a*a*a*a*a*a*a*ab', '**/**/**/**/**/b'])(
    'ignore rules with exponential matching time are rejected by name: %s',
    async (rule) => {
      await explorer.put('.gitignore', `*.log\n${rule}\n`)
      const error = 'Line 2 of .gitignore has more than 3 stars, which would take too long to match'
      expect(await ask('git-status')).toEqual([500, { error }])
      expect((await explorer.call('POST', '/api/browse/git-sync', {}))[1]).toEqual({ error })
    },
  )

  it.each(['*a*a*a*a*a*b', '"#*a*a*a*a*a*b"', '**/**/**/**/b', '['.repeat(2000)])(
    'ignore rules in attributes files are rejected too: %.20s',
    async (pattern) => {
      await explorer.put('.gitattributes', `${pattern} text\n`)
      const [status, body] = await explorer.call('POST', '/api/browse/git-sync', {})
      expect(status).toBe(500)
      expect(JSON.stringify(body)).toContain('of an attribute is too long or has too many stars')
    },
  )

  it('may have three stars, and more in comments', async () => {
    await explorer.put('.gitignore', '# **** names ****\r\n**/*a*a*c\r\n')
    expect(await ask('git-status')).toMatchObject([
      200,
      { changes: [{ status: '??', path: '.gitignore' }] },
    ])
  })
})

it.each(['.GIT/config', 'sub/.Git .', 'git~1'])(
  'a name that may refer to git’s own folder is rejected, as by git: %s',
  async (name) => {
    await beginRepository(explorer, git)
    await explorer.put(name, '')
    await expect(git('add', '-A')).rejects.toThrow(/invalid path/)
    const error = expect.stringMatching(
      /^Staging failed: .*a name that git reserves for its own folder$/,
    )
    expect(await explorer.call('POST', '/api/browse/git-sync', {})).toEqual([500, { error }])
  },
)

describe('a repository that refers to other folders', () => {
  let secret: GitCommand

  beforeEach(async () => {
    secret = gitIn(explorer.outside)
    await secret('init', '-q', '-b', 'main')
    await writeFile(join(explorer.outside, 'secret'), 'secret\n')
    await secret('add', '-A')
    await secret('commit', '-qm', 'secret')
  })

  async function expectNothingSeen() {
    for (const question of questions) {
      const [status, body] = await ask(question)
      expect([200, 500]).toContain(status)
      expect(JSON.stringify(body)).not.toContain('secret')
    }
    expect(await secret('fsck')).toBe('')
  }

  it.each<[string, () => Promise<void>]>([
    ['by a link', () => symlink(join(explorer.outside, '.git'), at('.git'))],
    ['by a file', () => writeFile(at('.git'), `gitdir: ${explorer.outside}/.git\n`)],
    ['by a relative file', () => writeFile(at('.git'), 'gitdir: ../outside/.git\n')],
  ])('%s is not a repository', async (_, lead) => {
    await lead()
    expect(await ask('git-status')).toEqual([200, { ok: true, isGitRepo: false }])
    await expectNothingSeen()
  })

  it.each([
    'HEAD',
    'objects',
    'refs',
    'index',
    'config',
    'packed-refs',
    'refs/heads',
    'refs/heads/main',
  ])(
    'a repository that refers to other folders by a link in place of %s exposes none of their files',
    async (name) => {
      await beginRepository(explorer, git)
      await rm(at(`.git/${name}`), { recursive: true, force: true })
      await symlink(join(explorer.outside, '.git', name), at(`.git/${name}`))
      await expectNothingSeen()
    },
  )

  it('a repository that refers to other folders by alternate objects, another working tree or an included file exposes none of their files', async () => {
    await beginRepository(explorer, git)
    await writeFile(at('.git/objects/info/alternates'), `${explorer.outside}/.git/objects\n`)
    await writeFile(at('.git/refs/heads/main'), await secret('rev-parse', 'main'))
    await git('config', 'core.worktree', explorer.outside)
    await git('config', 'include.path', join(explorer.outside, 'secret'))
    await expectNothingSeen()
  })

  it('a repository that refers to other folders by a ref outside of its folder exposes none of their files', async () => {
    await beginRepository(explorer, git)
    for (const ref of [
      '../../outside/.git/refs/heads/main',
      'refs/heads/../../../../outside/.git/refs/heads/main',
    ]) {
      await writeFile(at('.git/HEAD'), `ref: ${ref}\n`)
      await expectNothingSeen()
    }
  })

  it('a repository that refers to other folders by names in its index exposes none of their files', async () => {
    await beginRepository(explorer, git)
    const id = (await git('rev-parse', 'HEAD:a.txt')).trim()
    await git('update-index', '--add', '--cacheinfo', `100644,${id},link/hidden`)
    await writeFile(join(explorer.outside, 'hidden'), 'secret\n')
    await symlink(explorer.outside, at('link'))
    await expectNothingSeen()
  })
})

describe('a repository that is damaged', () => {
  it.each([
    ['index', 'no index at all'],
    ['index', 'DIRC'],
    ['HEAD', ''],
    ['HEAD', 'ref: refs/heads/none'],
    ['HEAD', '0'.repeat(40)],
    ['config', '[core'],
    ['packed-refs', '\0\0'],
  ])('%s: %j is an error, or the readable rest', async (name, content) => {
    await beginRepository(explorer, git)
    await writeFile(at(`.git/${name}`), content)
    for (const question of questions) {
      const [status, body] = await ask(question)
      expect([200, 500]).toContain(status)
      if (status === 500) expect(body).toEqual({ error: expect.any(String) })
    }
  })

  it('a damaged repository and one of another format are reported', async () => {
    await git('init', '-q', '--object-format=sha256')
    expect(await ask('git-status')).toEqual([
      500,
      { error: 'Repositories of the format sha256, files are not supported' },
    ])
  })

  it('lists the rest if files are unreadable', async () => {
    await beginRepository(explorer, git)
    await mkdir(at('closed'))
    await explorer.put('closed/file', 'x')
    await chmod(at('closed'), 0)
    expect((await ask('git-status'))[0]).toBe(200)
    expect((await explorer.call('GET', '/api/browse/tree'))[0]).toBe(200)
    await chmod(at('closed'), 0o700)
  })
})

describe.each(questions)('GET /api/browse/%s', (question) => {
  it.each([
    [null, 401],
    ['sk_0123456789', 403],
  ])('a request with the bearer %j returns %i', async (bearer, status) => {
    const answer = await explorer.call('GET', `/api/browse/${question}`, { bearer })
    expect(answer).toEqual([status, { error: expect.any(String) }])
  })
})
