import { execFileSync } from 'node:child_process'
import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { useFileTools } from '../testing/file-tools.ts'
import { token } from '../testing/gateway.ts'

const { on, turns, workspace, put, results } = useFileTools()

describe('a link in the workspace', () => {
  beforeEach(async () => {
    await writeFile(join(on.home.workspace, 'secret.txt'), 'a secret')
    await put('inside.txt', 'text')
    await symlink('../secret.txt', workspace('file'))
    await symlink('..', workspace('folder'))
    await symlink('/proc/self/environ', workspace('environ'))
  })

  it('is not listed, read, searched or written through', async () => {
    expect(
      await results(
        ['list_files', {}],
        ['list_files', { path: 'folder' }],
        ['read_file', { path: 'file' }],
        ['read_file', { path: 'folder/secret.txt' }],
      ),
    ).toEqual([
      { entries: [{ name: 'inside.txt', type: 'file', size: 4, modified: expect.any(String) }] },
      { error: expect.stringContaining('a link') },
      { error: expect.stringContaining('is a link') },
      { error: expect.stringContaining('a link') },
    ])
    expect(
      await results(
        ['read_file', { path: 'environ' }],
        ['write_file', { path: 'folder/secret.txt', content: 'overwritten' }],
        ['write_file', { path: 'file', content: 'mine' }],
        ['search_files', { query: 'secret' }],
      ),
    ).toEqual([
      { error: expect.stringContaining('is a link') },
      { error: expect.stringContaining('a link') },
      { written: true, size: 4 },
      { matches: [] },
    ])
    expect(JSON.stringify(turns)).not.toContain(token)
    expect(await readFile(join(on.home.workspace, 'secret.txt'), 'utf8')).toBe('a secret')
    expect(await readFile(workspace('file'), 'utf8')).toBe('mine')
  })

  it('a link in place of the workspace returns nothing', async () => {
    await rm(workspace(), { recursive: true })
    await symlink('.', workspace())
    for (const answer of await results(['list_files', {}], ['read_file', { path: 'secret.txt' }]))
      expect(answer).toEqual({ error: expect.stringContaining('a link') })
  })

  it('a link that replaces a folder while the model uses it leads nowhere', async () => {
    await put('swapped/secret.txt', 'harmless')
    let swaps = 0
    let done = false
    // Steps fail while a write of the model has created the folder again.
    const attempt = (step: Promise<void>) => step.catch(() => {})
    const swapping = (async () => {
      for (; !done; swaps++) {
        await attempt(rename(workspace('swapped'), workspace('aside')))
        await attempt(symlink('..', workspace('swapped')))
        await attempt(rm(workspace('swapped'), { recursive: true, force: true }))
        await attempt(rename(workspace('aside'), workspace('swapped')))
      }
    })()
    const path = 'swapped/secret.txt'
    const given = { path, content: 'harmless' }
    for (let i = 0; i < 20 || swaps <= 20; i++)
      await results(['read_file', { path }], ['write_file', given], ['read_file', { path }])
    done = true
    await swapping
    expect(JSON.stringify(turns)).not.toContain('a secret')
    expect(await readFile(join(on.home.workspace, 'secret.txt'), 'utf8')).toBe('a secret')
  })
})

it('waits for no named pipe', async () => {
  await put('x', '')
  execFileSync('mkfifo', [workspace('pipe')])
  expect(
    await results(
      ['read_file', { path: 'pipe' }],
      ['list_files', { path: 'pipe' }],
      ['search_files', { query: 'pipe' }],
    ),
  ).toEqual([
    { error: '“pipe” is not a regular file' },
    { error: expect.stringContaining('a part of the path') },
    { matches: [] },
  ])
})
