import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { run } from '@stricli/core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryDir } from '../../../stacks/local/testing/harness.ts'
import {
  type FilesOwner,
  type FilesWorld,
  startFiles,
} from '../../../tests/support/agents/files.ts'
import { app } from '../app.ts'
import { Cli } from '../cli.ts'

const platform = 'http://platform.test'

let world: FilesWorld
let ada: FilesOwner
let home: Awaited<ReturnType<typeof temporaryDir>>
let folder: string

beforeAll(async () => {
  world = await startFiles()
  const send = fetch
  vi.stubGlobal('fetch', async (address: string | URL, init: RequestInit = {}) => {
    const { origin, pathname, search } = new URL(address)
    if (origin !== platform) return send(address, init)
    const body = init.body as string | Uint8Array<ArrayBuffer> | null | undefined
    const headers = new Headers(init.headers)
    headers.delete('authorization')
    const answer = await world.call(init.method ?? 'GET', pathname + search, {
      session: ada.session,
      headers: Object.fromEntries(headers),
      ...(body && (typeof body === 'string' ? { text: body } : { bytes: body })),
    })
    const location = answer.headers.get('location')
    return location !== null && init.redirect === 'follow' ? send(location) : answer
  })
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await world.close()
})
beforeEach(async () => {
  ada = await world.newOwner()
  home = await temporaryDir()
  folder = join(home.path, 'folder')
  await mkdir(folder)
})
afterEach(() => home[Symbol.asyncDispose]())

/** Runs `agents files …`. @returns what it printed, or throws its error */
async function files(verb: string, args: readonly string[], input = ''): Promise<string> {
  const printed: Buffer[] = []
  const stdout = {
    isTTY: false,
    write: (text: string | Uint8Array) => printed.push(Buffer.from(text)),
  }
  const env = { PLATFORM_URL: platform, PLATFORM_API_KEY: 'x', XDG_CONFIG_HOME: home.path }
  const stderr = { write: () => true }
  const io = { env, stdout, stderr, stdin: Readable.from([Buffer.from(input)]) }
  const cli = new Cli(io as unknown as NodeJS.Process, new AbortController().signal)
  let failure: unknown
  const context = { process: io as never, cli, fail: (error: unknown) => void (failure = error) }
  await run(app, ['files', verb, ada.agentId, ...args], context)
  if (failure !== undefined) throw failure
  return Buffer.concat(printed).toString()
}

const local = async (path: string, text: string, modified?: Date) => {
  const file = join(folder, path)
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, text)
  if (modified) await utimes(file, modified, modified)
}
const synced = async (...options: string[]) =>
  JSON.parse(await files('sync', [folder, 'copy', '--json', ...options])) as unknown

describe('agents files', () => {
  it('puts, lists, gets and removes', async () => {
    await local('note.txt', 'a note')
    await files('put', [join(folder, 'note.txt')])
    await files('put', ['-', 'deep/from-input'], 'typed\n')
    expect(await files('ls', [])).toMatch(/folder.*deep[^]*file.*6.*note\.txt/)
    expect(await files('get', ['deep/from-input', '-'])).toBe('typed\n')
    const copy = join(folder, 'copy')
    await files('get', ['note.txt', copy])
    expect(await readFile(copy, 'utf8')).toBe('a note')
    await files('rm', ['deep'])
    expect(JSON.parse(await files('ls', ['--json']))).toMatchObject([{ path: 'note.txt' }])
    await expect(files('get', ['missing', copy])).rejects.toThrow('File not found')
    expect(await readdir(folder)).toEqual(['copy', 'note.txt'])
  })

  it('puts and gets a file of more than 4 MiB by links', async () => {
    const text = 'x'.repeat(5 * 1024 * 1024)
    await local('large', text)
    await files('put', [join(folder, 'large')])
    await world.work()
    await files('get', ['large', join(folder, 'back')])
    expect((await readFile(join(folder, 'back'), 'utf8')) === text).toBe(true)
  })

  it('syncs to the agent only what is new, newer or of another size', async () => {
    await local('a/one', 'one')
    await local('two', 'two')
    await symlink('/etc/passwd', join(folder, 'link'))
    expect(await synced()).toEqual({ copied: 2, deleted: 0 })
    expect(await synced()).toEqual({ copied: 0, deleted: 0 })
    await local('two', 'TWO', new Date(Date.now() + 60_000))
    await local('a/one', 'longer', new Date(0))
    expect(await synced()).toEqual({ copied: 2, deleted: 0 })
    expect([await ada.text('copy/two'), await ada.text('copy/a/one')]).toEqual(['TWO', 'longer'])
    expect((await ada.get('copy/link')).status).toBe(404)
  })

  it('deletes at the target only with --delete', async () => {
    await local('a/one', 'one')
    await local('two', 'two')
    await synced()
    await rm(join(folder, 'a'), { recursive: true })
    expect(await synced()).toEqual({ copied: 0, deleted: 0 })
    expect(await synced('--delete')).toEqual({ copied: 0, deleted: 1 })
    expect((await ada.get('copy/a/one')).status).toBe(404)
    await local('three', 'three')
    // The agent's copy is newer than the file that it was made of.
    expect(await synced('--down')).toEqual({ copied: 1, deleted: 0 })
    expect(await synced('--down', '--delete')).toEqual({ copied: 0, deleted: 1 })
    expect(await readdir(folder)).toEqual(['two'])
  })

  it('syncs from the agent, and does not follow a link out of the folder', async () => {
    await ada.put('copy/a/one', 'one')
    expect(await synced('--down')).toEqual({ copied: 1, deleted: 0 })
    expect(await readFile(join(folder, 'a/one'), 'utf8')).toBe('one')
    expect(await synced('--down')).toEqual({ copied: 0, deleted: 0 })
    expect(await synced()).toEqual({ copied: 0, deleted: 0 })
    const outside = join(home.path, 'outside')
    await mkdir(outside)
    await rm(join(folder, 'a'), { recursive: true })
    await symlink(outside, join(folder, 'a'))
    await expect(synced('--down')).rejects.toThrow('is a link')
    expect(await readdir(outside)).toEqual([])
  })
})
