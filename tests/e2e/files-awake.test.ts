import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import {
  lifecycle,
  newSubscriber,
  platformOf,
  runningAgent,
  stack,
  type TestUser,
  untilStatus,
} from '../support/stack/platform.ts'
import { killProcessesOf, processesOf } from '../support/stack/processes.ts'

describe('the files of an agent that runs', () => {
  let user: TestUser
  let id: string
  let volume: string

  beforeAll(async () => {
    user = await newSubscriber('label')
    id = await runningAgent(user)
    volume = processesOf(stack().dataDir, id)[0]?.environment['WORKSPACE_DIR'] ?? ''
  })

  const files = () => platformOf(user).agents.files
  const onDisk = (path: string) => readFile(join(volume, 'workspace', path), 'utf8')
  const inList = async (path?: string) =>
    (await files().list(id, path === undefined ? {} : { path })).entries.map(({ name }) => name)
  const textOf = async (path: string) => (await files().get(id, path)).text()
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('are listed and read as soon as the agent writes them', async () => {
    await mkdir(join(volume, 'workspace/notes'), { recursive: true })
    await writeFile(join(volume, 'workspace/notes/today.md'), 'first')
    expect(await inList()).toEqual(['notes'])
    expect(await inList('notes')).toEqual(['today.md'])
    expect(await textOf('notes/today.md')).toBe('first')
    await writeFile(join(volume, 'workspace/notes/today.md'), 'second')
    expect(await textOf('notes/today.md')).toBe('second')
  })

  it('are on the agent’s disk as soon as the API writes them', async () => {
    await files().put(id, 'from/api.txt', bytes('by the API'))
    expect(await onDisk('from/api.txt')).toBe('by the API')
    await files().move(id, { from: 'from/api.txt', to: 'moved.txt' })
    expect(await onDisk('moved.txt')).toBe('by the API')
    await files().delete(id, 'from', { recursive: true })
    await expect(onDisk('from/api.txt')).rejects.toThrow('ENOENT')
  })

  it('stay when the agent stops and starts, and are changed in the meantime', async () => {
    await writeFile(join(volume, 'workspace/last'), 'written just before the stop')
    await lifecycle(user, id, 'stop')
    await eventually(() => expect(processesOf(stack().dataDir, id)).toEqual([]))
    expect(await textOf('last')).toBe('written just before the stop')
    await files().put(id, 'asleep.txt', bytes('while it slept'))
    await lifecycle(user, id, 'start')
    await untilStatus(user, id, 'running')
    expect(await onDisk('asleep.txt')).toBe('while it slept')
    expect(await onDisk('last')).toBe('written just before the stop')
  })

  it('stay when the process is killed', async () => {
    await writeFile(join(volume, 'workspace/before-kill'), 'on the disk')
    const [before] = await killProcessesOf(stack().dataDir, id)
    await eventually(() => {
      const [now] = processesOf(stack().dataDir, id)
      expect(now?.generation).toBeGreaterThan(before?.generation ?? Infinity)
    })
    await eventually(async () => expect(await textOf('before-kill')).toBe('on the disk'))
    expect(await inList()).toEqual(['asleep.txt', 'before-kill', 'last', 'moved.txt', 'notes'])
  })

  it('are restored on an empty disk, as on another host', async () => {
    await lifecycle(user, id, 'stop')
    await eventually(() => expect(processesOf(stack().dataDir, id)).toEqual([]))
    await rm(volume, { recursive: true })
    await lifecycle(user, id, 'start')
    await untilStatus(user, id, 'running')
    expect(await onDisk('notes/today.md')).toBe('second')
    expect(await onDisk('before-kill')).toBe('on the disk')
  })
})
