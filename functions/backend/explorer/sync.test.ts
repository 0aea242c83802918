import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Explorer, startExplorer } from '#tests/support/tools/explorer.ts'
import { beginRepository } from '#tests/support/tools/git-repositories.ts'
import { startGitServer } from '#tests/support/tools/git-server.ts'
import { type GitCommand, gitIn } from '#tests/support/tools/git.ts'

const login = { username: 'x-access-token', password: 'hush-hush-token', hosts: ['127.0.0.1:1'] }
let explorer: Explorer
let git: GitCommand
let bare: string
let remote: GitCommand

beforeEach(async () => {
  explorer = await startExplorer({ login })
  git = gitIn(explorer.root)
  bare = join(explorer.dir, 'remotes', 'one.git')
  await mkdir(bare, { recursive: true })
  remote = gitIn(bare)
  await remote('init', '-q', '--bare', '-b', 'main')
  await remote('config', 'http.receivepack', 'true')
})
afterEach(() => explorer.close())

type Synced = { committed: boolean; pushed: boolean; hash: string; message: string }

async function sync(body: object = {}, of = explorer): Promise<Synced> {
  const [status, answer] = await of.call<Synced>('POST', '/api/browse/git-sync', { body })
  expect([status, answer]).toEqual([200, expect.objectContaining({ ok: true })])
  return answer
}

const head = async (of = git) => (await of('rev-parse', 'main')).trim()

async function expectSound() {
  expect(await git('fsck', '--strict', '--no-dangling')).toBe('')
  expect(await remote('fsck', '--strict', '--no-dangling')).toBe('')
  expect(await git('status', '--porcelain')).toBe('')
}

describe('over http', () => {
  let server: Awaited<ReturnType<typeof startGitServer>>

  beforeEach(async () => {
    server = await startGitServer(join(explorer.dir, 'remotes'), login)
    await beginRepository(explorer, git)
    await git('remote', 'add', 'origin', `${server.url}/one.git`)
  })
  afterEach(() => server.close())

  it('commits all changes, and pushes them with the token', async () => {
    await git('config', 'user.name', 'Bob <x>')
    await git('config', 'user.email', 'bob@example.com')
    await explorer.put('a.txt', 'changed\n')
    await explorer.put('new/é file', 'x\n')
    await explorer.put('run', 'x\n', 0o755)
    await symlink('run', join(explorer.root, 'link'))
    await explorer.put('.gitignore', '*.log\n')
    await explorer.put('x.log', 'x')
    const synced = await sync({ message: '  All of it\n\nbecause  \n' })
    expect(synced).toEqual({
      ok: true,
      committed: true,
      pushed: true,
      hash: await head(remote),
      message: `Committed ${synced.hash.slice(0, 7)}, pushed to origin/main`,
    })
    expect(await git('log', '-1', '--format=%an|%ae|%B')).toBe(
      'Bob x|bob@example.com|All of it\n\nbecause\n\n',
    )
    expect(await git('rev-parse', 'origin/main')).toBe(`${synced.hash}\n`)
    expect(await remote('ls-tree', '-r', '--name-only', 'main')).not.toContain('x.log')
    expect(await git('ls-tree', 'main', 'run', 'link')).toMatch(/^120000.*link\n100755.*run\n$/)
    await expectSound()
    expect(await sync()).toMatchObject({ committed: false, pushed: false, hash: '' })
    for (const name of await readdir(explorer.root, { recursive: true })) {
      const path = join(explorer.root, name)
      if ((await stat(path)).isFile())
        expect((await readFile(path)).includes('hush-hush')).toBe(false)
    }
  })

  it('commits as the platform if the repository has no user', async () => {
    await explorer.put('a.txt', 'changed\n')
    await sync()
    expect(await git('log', '-1', '--format=%an|%ae|%s')).toBe(
      'Agent Platform|noreply@localhost|sync changes\n',
    )
  })

  it('keeps the commit if the login is rejected, and pushes it the next time', async () => {
    const other = await startGitServer(join(explorer.dir, 'remotes'), {
      ...login,
      password: 'other',
    })
    await git('remote', 'set-url', 'origin', `${other.url}/one.git`)
    await explorer.put('a.txt', 'changed\n')
    const refused = await sync()
    expect(refused).toMatchObject({ committed: true, pushed: false, hash: await head() })
    expect(refused.message).toMatch(/not pushed: the remote refused the login$/)
    expect(JSON.stringify(refused)).not.toContain('hush')
    await other.close()
    await git('remote', 'set-url', 'origin', `${server.url}/one.git`)
    expect(await sync()).toMatchObject({ committed: false, pushed: true, hash: '' })
    expect(await head(remote)).toBe(await head())
  })

  it('is rejected if the remote is ahead, by a remote hook, and by a timeout', async () => {
    await explorer.put('a.txt', 'one\n')
    await sync()
    await writeFile(join(bare, 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    await explorer.put('a.txt', 'two\n')
    expect((await sync()).message).toMatch(
      /not pushed: the remote refused the push: .*pre-receive hook/,
    )
    await rm(join(bare, 'hooks/pre-receive'))
    await git('clone', '-q', bare, join(explorer.dir, 'other'))
    const other = gitIn(join(explorer.dir, 'other'))
    await other('commit', '-q', '--allow-empty', '-m', 'other')
    await other('push', '-q')
    await explorer.put('a.txt', 'three\n')
    expect((await sync()).message).toMatch(/not pushed: the remote has commits that/)
    for (const user of ['user:hushed', 'user:100%']) {
      await git('remote', 'set-url', 'origin', `http://${user}@127.0.0.1:1/one.git`)
      await explorer.put('a.txt', user)
      const { message } = await sync()
      expect(message).toMatch(/not pushed: the connection failed: ECONNREFUSED$/)
    }
    await expectSound()
  })

  it('connects to no private address if deployed', async () => {
    const { table } = explorer.services
    const deployed = await startExplorer({ login, deployed: true, root: explorer.root, table })
    await explorer.put('a.txt', 'one\n')
    await git('remote', 'set-url', 'origin', 'https://127.0.0.1:1/one.git')
    expect((await sync({}, deployed)).message).toMatch(/not pushed: the address is not allowed$/)
    await git('remote', 'set-url', 'origin', bare)
    await explorer.put('a.txt', 'two\n')
    expect((await sync({}, deployed)).message).toMatch(/address is not supported; use https$/)
    expect(server.seen).toEqual([])
  })
})

describe('to a path', () => {
  beforeEach(async () => {
    await beginRepository(explorer, git)
    await git('remote', 'add', 'origin', '../remotes/one.git')
  })

  it('copies missing objects, runs no hook, and rejects a remote that is ahead', async () => {
    const trace = join(explorer.outside, 'trace')
    for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update'])
      await writeFile(join(bare, 'hooks', hook), `#!/bin/sh\ntouch '${trace}'\nexit 1\n`, {
        mode: 0o755,
      })
    await explorer.put('deep/er/file', 'x\n')
    expect(await sync()).toMatchObject({ committed: true, pushed: true, hash: await head(remote) })
    await explorer.put('deep/er/file', 'y\n')
    expect(await sync()).toMatchObject({ pushed: true, hash: await head(remote) })
    await expectSound()
    expect(await readdir(explorer.outside)).toEqual([])
    await git('reset', '-q', '--hard', 'HEAD~1')
    await explorer.put('other', 'x\n')
    expect((await sync()).message).toMatch(/commits that the workspace does not have$/)
  })

  it.each([
    ['ext::sh -c touch% trace', 'type of the remote’s address'],
    ['ssh://git@127.0.0.1/x', 'type of the remote’s address'],
    ['git@127.0.0.1:x', 'type of the remote’s address'],
    ['git://127.0.0.1/x', 'type of the remote’s address'],
    ['file:///tmp/x', 'type of the remote’s address'],
    ['--upload-pack=touch trace', 'type of the remote’s address'],
    ['../nowhere', 'path contains no repository'],
    ['../outside', 'path contains no repository'],
  ])('rejects %s', async (url, why) => {
    await git('config', 'remote.origin.url', url)
    await explorer.put('a.txt', 'changed\n')
    expect(await sync()).toMatchObject({
      committed: true,
      pushed: false,
      message: expect.stringContaining(why),
    })
    expect(await readdir(explorer.outside)).toEqual([])
  })

  it('pushes to the branch’s upstream, and pushes nothing without a remote or a branch', async () => {
    await git('checkout', '-qb', 'feature/one')
    await git('config', 'branch.feature/one.remote', 'origin')
    await git('config', 'branch.feature/one.merge', 'refs/heads/theirs')
    await explorer.put('a.txt', 'one\n')
    expect((await sync()).message).toMatch(/pushed to origin\/theirs$/)
    expect(await remote('rev-parse', 'theirs')).toBe(await git('rev-parse', 'HEAD'))
    await git('checkout', '-q', '--detach')
    await explorer.put('a.txt', 'two\n')
    expect((await sync()).message).toMatch(/not pushed: HEAD is not on a branch$/)
    await git('checkout', '-qb', 'lone')
    await git('remote', 'remove', 'origin')
    await explorer.put('a.txt', 'three\n')
    expect((await sync()).message).toMatch(/not pushed: the repository has no remote$/)
    await expectSound()
  })

  it('creates the first commit, removes deleted files, and keeps names exactly', async () => {
    await rm(explorer.root, { recursive: true })
    await mkdir(explorer.root)
    await git('init', '-q', '-b', 'main')
    const names = ['-rf', 'new\nline', 'qu"ote', 'back\\slash', '漢字', 'a/b/c', 'a.b', 'a-b', 'a0']
    for (const name of names) await explorer.put(name, 'x\n')
    expect(await sync()).toMatchObject({ committed: true, pushed: false })
    await rm(join(explorer.root, 'a'), { recursive: true })
    await explorer.put('a', 'now a file\n')
    expect(await sync()).toMatchObject({ committed: true })
    await expectSound()
    const listed = (await git('ls-tree', '-rz', '--name-only', 'main')).split('\0').filter(Boolean)
    expect(listed.sort()).toEqual(names.map((name) => (name === 'a/b/c' ? 'a' : name)).sort())
  })

  it('runs no program that the repository configures', async () => {
    const trace = join(explorer.outside, 'trace')
    const program = join(explorer.dir, 'program')
    await writeFile(program, `#!/bin/sh\ntouch '${trace}'\ncat\n`, { mode: 0o755 })
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'pre-push',
      'reference-transaction',
      'post-index-change',
    ])
      await writeFile(join(explorer.root, '.git/hooks', hook), `#!/bin/sh\ntouch '${trace}'\n`, {
        mode: 0o755,
      })
    const named = 'filter.f.clean core.fsmonitor gpg.program credential.helper core.sshCommand'
    for (const name of [...named.split(' '), 'remote.origin.receivepack'])
      await git('config', name, program)
    await git('config', 'commit.gpgSign', 'true')
    await explorer.put('.gitattributes', '* filter=f\n')
    await explorer.put('a.txt', 'changed\n')
    expect(await explorer.call('POST', '/api/browse/git-sync', { body: {} })).toEqual([
      500,
      { error: expect.stringContaining('the filter f') },
    ])
    await rm(join(explorer.root, '.gitattributes'))
    expect(await sync()).toMatchObject({ committed: true, pushed: true })
    expect(await readdir(explorer.outside)).toEqual([])
  })

  it('commits once for two concurrent requests, and both get an answer', async () => {
    await explorer.put('a.txt', 'changed\n')
    const both = await Promise.all([sync(), sync()])
    expect(both.map(({ committed }) => committed)).toEqual([true, false])
    await expectSound()
  })
})

describe('an error', () => {
  const failed = (error: unknown) => [500, { error }]
  const ask = () => explorer.call('POST', '/api/browse/git-sync', { body: {} })

  it('is returned outside of a repository, for a conflict, and for a concurrent git process', async () => {
    expect(await ask()).toEqual(failed('The workspace is not a git repository'))
    await beginRepository(explorer, git)
    await explorer.put('a.txt', 'changed\n')
    await explorer.put('.git/index.lock', '')
    expect(await ask()).toEqual(failed('Staging failed: another git process is running'))
    await rm(join(explorer.root, '.git/index.lock'))
    await explorer.put('.git/refs/heads/main.lock', '')
    expect(await ask()).toEqual(failed('Commit failed: another git process is running'))
    await rm(join(explorer.root, '.git/refs/heads/main.lock'))
    await explorer.put('.git/MERGE_HEAD', await git('rev-parse', 'HEAD'))
    expect(await ask()).toEqual(failed('Staging failed: a merge or a rebase is in progress'))
    await rm(join(explorer.root, '.git/MERGE_HEAD'))
    expect(await sync()).toMatchObject({ committed: true })
  })

  it('is returned for a concurrent sync, until its process has ended', async () => {
    await beginRepository(explorer, git)
    const lock = '.git/agent-platform-sync.lock'
    await explorer.put(lock, String(process.ppid))
    expect(await ask()).toEqual([409, { error: 'Another sync is running; try again soon' }])
    await explorer.put(lock, '999999999')
    expect((await ask())[0]).toBe(200)
    expect(await readdir(join(explorer.root, '.git'))).not.toContain('agent-platform-sync.lock')
  })

  it.each([[{ message: 1 }], [{ message: 'a\0b' }], [{ message: 'x'.repeat(10_001) }]])(
    'contains the message of %j',
    async (body) => {
      expect((await explorer.call('POST', '/api/browse/git-sync', { body }))[0]).toBe(400)
    },
  )
})
