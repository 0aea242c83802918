import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { tempDir, until } from '../testing/harness.ts'
import { processStart } from './identify.ts'
import { openGate, startPaused } from './start.ts'

test('a held process runs once released', async () => {
  await using dir = await tempDir()
  const file = join(dir.path, 'touched')
  const env = { PATH: process.env['PATH'] ?? '' }
  const held = await startPaused({ command: ['touch', file], cwd: '/', env })
  expect(processStart(held.pid)).toBeDefined()
  openGate(held)
  expect(await once(held.child, 'exit')).toEqual([0, null])
  expect(existsSync(file)).toBe(true)
})

test('a held process creates nothing that other users of the machine can read', async () => {
  await using dir = await tempDir()
  const file = join(dir.path, 'touched')
  const env = { PATH: process.env['PATH'] ?? '' }
  const before = process.umask(0)
  const held = await startPaused({ command: ['mkdir', file], cwd: '/', env })
  process.umask(before)
  openGate(held)
  expect(await once(held.child, 'exit')).toEqual([0, null])
  expect(statSync(file).mode & 0o777).toBe(0o700)
})

test('a held process ends without running when its holder is killed', async () => {
  await using dir = await tempDir()
  const file = join(dir.path, 'touched')
  const script = fileURLToPath(new URL('../testing/holder.ts', import.meta.url))
  const holder = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface(holder.stdout), 'line')) as [string]
  const pid = Number(line)
  expect(processStart(pid)).toBeDefined()
  holder.kill('SIGKILL')
  await until('its end', () => processStart(pid) === undefined)
  expect(existsSync(file)).toBe(false)
})
