import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiKey, token, until } from '../gateway/testing/gateway.ts'
import { PlayedStore } from './testing/played-store.ts'

/** A fake OpenClaw that writes a file when it is told to end. */
const openclaw = `
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
const port = Number(process.argv[process.argv.indexOf('--port') + 1])
createServer((_, response) => response.end('{"ready":true}')).listen(port, '127.0.0.1')
process.on('SIGTERM', () => {
  writeFileSync('last', 'words')
  process.exit(0)
})
`

let store: PlayedStore
let disk: string
let port: number
const running = new Set<ReturnType<typeof spawn>>()

beforeEach(async () => {
  store = await PlayedStore.start()
  disk = await mkdtemp(join(tmpdir(), 'agent-files-test-'))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  server.close()
})
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  await store[Symbol.asyncDispose]()
  await rm(disk, { recursive: true })
})

const programs = { gateway: '../gateway/main.ts', openclaw: '../openclaw/front/main.ts' }

/** Starts a program with the disk. @returns its exit code */
async function start(program: keyof typeof programs, generation: number) {
  await writeFile(join(disk, 'openclaw.mjs'), openclaw)
  const child = spawn(process.execPath, [join(import.meta.dirname, programs[program])], {
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      AGENT_ID: 'agt_1',
      AGENT_GENERATION: String(generation),
      AGENT_FILES: '1',
      GATEWAY_TOKEN: token,
      GATEWAY_PORT: String(port),
      AI_BASE_URL: `${store.origin}/v1`,
      AI_API_KEY: apiKey,
      WORKSPACE_DIR: join(disk, 'data'),
      AGENT_DATA_DIR: join(disk, 'data'),
      OPENCLAW_PROGRAM: join(disk, 'openclaw.mjs'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()))
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return { child, exited, output: () => output }
}

const url = (path: string) => `http://127.0.0.1:${port}${path}`
const statusOf = (path: string) =>
  fetch(url(path)).then(
    ({ status }) => status,
    () => 0,
  )
const sync = (body: object, by = token) =>
  fetch(url('/files/sync'), {
    method: 'POST',
    headers: { authorization: `Bearer ${by}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const untilReady = () => until(async () => (await statusOf('/readyz')) === 200, 60_000)

describe.each(['gateway', 'openclaw'] as const)('%s', (program) => {
  const inWorkspace = (path: string) => join(disk, 'data/workspace', path)

  test('restores before it is ready, stores on request, and stores the rest when it ends', async () => {
    store.change({ 'workspace/from/api': 'text' })
    const gate = Promise.withResolvers<void>()
    store.fault = async (path) => {
      if (path.endsWith('/links')) await gate.promise
      return undefined
    }
    const one = await start(program, 1)
    // The process lives, and is not ready.
    await until(async () => (await statusOf('/healthz')) === 200, 60_000)
    const ready = await fetch(url('/readyz'))
    expect([ready.status, ready.headers.get('agent-id')]).toEqual([503, 'agt_1'])
    expect(await ready.json()).toMatchObject({ ready: false, failing: ['files'] })
    expect((await sync({})).status).toBe(503)
    expect(one.output()).not.toContain('listens on')
    gate.resolve()
    await untilReady()
    expect(await readFile(inWorkspace('from/api'), 'utf8')).toBe('text')

    await writeFile(inWorkspace('own'), 'own')
    const before = store.row.version
    const answer = await sync({ path: 'workspace/own' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ version: store.row.version })
    expect(store.row.version).toBeGreaterThanOrEqual(before)
    expect(store.texts()).toMatchObject({ 'workspace/from/api': 'text', 'workspace/own': 'own' })
    expect((await sync({}, 'another-token-0123456789')).status).toBe(401)
    for (const path of ['/etc', '../up', 'a//b', 'a/./b', ''])
      expect((await sync({ path })).status).toBe(400)

    await writeFile(inWorkspace('late'), 'late')
    one.child.kill('SIGTERM')
    expect(await one.exited).toBe(0)
    expect(store.texts()).toMatchObject({
      'workspace/late': 'late',
      ...(program === 'openclaw' && { 'workspace/last': 'words' }),
    })
    expect(store.row.holder).toBeUndefined()
  })

  test('ends without a change of the files if a later container has them', async () => {
    const one = await start(program, 1)
    await untilReady()
    await mkdir(inWorkspace('.'), { recursive: true })
    await writeFile(inWorkspace('too-late'), 'text')
    store.row.holder = 2
    store.change({ kept: 'by the later one' })
    expect((await sync({})).status).toBe(503)
    expect(await one.exited).toBe(0)
    expect(Object.keys(store.texts())).toContain('kept')
    expect(Object.keys(store.texts())).not.toContain('workspace/too-late')
    const again = await start(program, 1)
    expect(await again.exited).toBe(1)
    expect(again.output()).toContain('FILES_HELD')
  })
})
