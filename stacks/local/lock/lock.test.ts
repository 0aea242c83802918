import { fork } from 'node:child_process'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root, temporaryDir } from '../testing/harness.ts'
import { UnusableDirError } from './data-dir.ts'
import { LockedError, acquireLock } from './lock.ts'

test('a directory has one holder at a time', async () => {
  await using dir = await temporaryDir()
  const lock = await acquireLock(dir.path)
  await expect(acquireLock(dir.path)).rejects.toThrow(
    `${dir.path} is in use by process ${process.pid}`,
  )
  lock.release()
  const next = await acquireLock(dir.path)
  next.release()
})

test('the lock of a killed process is released at once', async () => {
  await using dir = await temporaryDir()
  const child = fork(join(import.meta.dirname, '../testing/lock-holder.ts'), [dir.path], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  await once(child, 'message')
  const refused = acquireLock(dir.path)
  await expect(refused).rejects.toBeInstanceOf(LockedError)
  await expect(refused).rejects.toThrow(`in use by process ${child.pid}`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = await acquireLock(dir.path)
  lock.release()
})

test('a directory is created with its parents, and only its owner can use it', async () => {
  await using dir = await temporaryDir()
  const path = join(dir.path, 'some/where')
  const lock = await acquireLock(path)
  lock.release()
  expect((await stat(path)).mode & 0o777).toBe(0o700)
})

test('an error about a directory names DATA_DIR', async () => {
  await using dir = await temporaryDir()
  const file = join(dir.path, 'file')
  await writeFile(file, '')
  for (const path of [file, join(file, 'below')]) {
    const refused = acquireLock(path)
    await expect(refused).rejects.toBeInstanceOf(UnusableDirError)
    await expect(refused).rejects.toThrow(`DATA_DIR: ${path} must be a folder`)
  }
})

test.each(['/', homedir(), tmpdir(), root, dirname(root)])(
  'a folder with other content than the platform’s state is rejected: %s',
  async (path) => {
    const { mode } = await stat(path)
    const refused = acquireLock(path)
    await expect(refused).rejects.toBeInstanceOf(UnusableDirError)
    await expect(refused).rejects.toThrow('name a folder of its own')
    expect((await stat(path)).mode).toBe(mode)
  },
)

test.runIf(process.platform === 'linux')(
  'a directory that cannot be created is not retried forever',
  async () => {
    await expect(acquireLock('/proc/nothing/here')).rejects.toBeInstanceOf(UnusableDirError)
  },
)
