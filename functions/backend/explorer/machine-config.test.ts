import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startExplorer } from '#tests/support/tools/explorer.ts'
import { beginRepository } from '#tests/support/tools/git-repositories.ts'
import { gitIn } from '#tests/support/tools/git.ts'

it('git’s routes follow the repository, not the git configuration of the machine or its user', async () => {
  const explorer = await startExplorer()
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await explorer.close()
  })
  const git = gitIn(explorer.root)
  const file = join(explorer.dir, 'gitconfig')
  await writeFile(
    file,
    `[core]\n\tautocrlf = true\n\texcludesFile = ${file}.ignored\n[user]\n\tname = Eve\n\temail = eve@example.com\n`,
  )
  await writeFile(`${file}.ignored`, '*.log\n')
  for (const [name, value] of Object.entries({
    HOME: explorer.dir,
    XDG_CONFIG_HOME: explorer.dir,
    GIT_CONFIG_GLOBAL: file,
    GIT_CONFIG_SYSTEM: file,
  }))
    vi.stubEnv(name, value)
  await writeFile(join(explorer.dir, '.gitconfig'), await readFile(file))
  await beginRepository(explorer, git, { 'a.txt': 'one\r\n' })
  await explorer.put('a.txt', 'one\r\ntwo\r\n')
  await explorer.put('b.log', 'x')
  const [, status] = await explorer.call('GET', '/api/browse/git-status')
  expect(status.changes).toEqual([
    { status: 'M', path: 'a.txt' },
    { status: '??', path: 'b.log' },
  ])
  const synced = await explorer.call('POST', '/api/browse/git-sync', { body: { message: 'x' } })
  expect(synced).toEqual([200, expect.objectContaining({ committed: true })])
  expect(await git('show', 'HEAD:a.txt')).toBe('one\r\ntwo\r\n')
  expect(await git('log', '-1', '--format=%an')).not.toContain('Eve')
})
