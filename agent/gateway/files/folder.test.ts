import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFolder } from './folder.ts'

test.skipIf(process.platform !== 'linux')(
  'an open folder stays the same folder after a link has replaced it',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'agent-files-'))
    onTestFinished(() => rm(home, { recursive: true }))
    await mkdir(join(home, 'workspace/notes'), { recursive: true })
    await writeFile(join(home, 'workspace/notes/a'), 'in the workspace')
    await writeFile(join(home, 'a'), 'outside')

    await using folder = await openFolder(join(home, 'workspace'), ['notes'])
    await rename(join(home, 'workspace/notes'), join(home, 'workspace/aside'))
    await symlink('..', join(home, 'workspace/notes'))

    await using file = await folder.open('a')
    expect(await file.readFile('utf8')).toBe('in the workspace')
    await writeFile(folder.at('b'), 'new')
    expect(await readFile(join(home, 'workspace/aside/b'), 'utf8')).toBe('new')
    await expect(openFolder(join(home, 'workspace'), ['notes'])).rejects.toThrow('ENOTDIR')
  },
)
