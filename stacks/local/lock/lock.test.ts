import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDir } from '../testing/harness.ts'
import { LockedError, takeLock } from './lock.ts'

test('a directory has one holder at a time', async () => {
  await using dir = await temporaryDir()
  const lock = await takeLock(dir.path)
  await expect(takeLock(dir.path)).rejects.toThrow(
    `${dir.path} is in use by process ${process.pid}`,
  )
  lock.release()
  const next = await takeLock(dir.path)
  next.release()
})

test('the lock of a killed process is free at once', async () => {
  await using dir = await temporaryDir()
  const child = fork(join(import.meta.dirname, '../testing/lock-holder.ts'), [dir.path], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  await once(child, 'message')
  const refused = takeLock(dir.path)
  await expect(refused).rejects.toBeInstanceOf(LockedError)
  await expect(refused).rejects.toThrow(`in use by process ${child.pid}`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = await takeLock(dir.path)
  lock.release()
})
