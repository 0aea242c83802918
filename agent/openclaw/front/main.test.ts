import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiKey, token, until } from '../../gateway/testing/gateway.ts'

/** Listens as OpenClaw does, and ends when it is told to, with the code that it is told. */
const program = `
import { createServer } from 'node:http'
const port = Number(process.argv[process.argv.indexOf('--port') + 1])
createServer((_, response) => response.end(JSON.stringify({ ready: true, env: process.env })))
  .listen(port, '127.0.0.1')
console.log('words of a conversation')
console.error('a warning of the runtime')
process.on('SIGTERM', () => setTimeout(() => process.exit(Number(process.env.CODE ?? 0)), 20))
if (process.env.CODE === '9') process.exit(9)
`

let dir: string
let child: ChildProcess | undefined
const started: ChildProcess[] = []
let output = ''

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'agent-front-'))
  await writeFile(join(dir, 'openclaw.mjs'), program)
})
afterEach(async () => {
  for (const { pid } of started.splice(0)) endGroup(pid)
  await rm(dir, { recursive: true, force: true })
})

/** Ends a front and its OpenClaw, if they are still there. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function start(more: Record<string, string> = {}): Promise<[number | null]> {
  output = ''
  child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      AGENT_ID: 'agt_1',
      GATEWAY_TOKEN: token,
      GATEWAY_PORT: '0',
      AI_BASE_URL: 'https://backend.example/v1',
      AI_API_KEY: apiKey,
      AGENT_DATA_DIR: dir,
      OPENCLAW_PROGRAM: join(dir, 'openclaw.mjs'),
      SYSTEM_PROMPT: 'You are Ada.',
      ...more,
    },
    stdio: 'pipe',
    // A group of its own, so that nothing of it outlives its test.
    detached: true,
  })
  started.push(child)
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  return once(child, 'exit') as Promise<[number | null]>
}

async function ready(): Promise<string> {
  const url = await until(() => /listens on (http:\S+),/.exec(output)?.[1])
  await until(async () => (await fetch(`${url}/readyz`)).status === 200)
  return url
}

test('writes what OpenClaw reads, for its owner alone, and logs no answer', async () => {
  void start({ EXTRA: 'kept', NODE_COMPILE_CACHE: join(dir, 'cache') })
  const url = await ready()
  const folder = join(dir, 'openclaw')
  expect(await readdir(folder)).toEqual(['openclaw.json'])
  expect((await stat(join(folder, 'openclaw.json'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(dir, 'workspace/SOUL.md'), 'utf8')).toBe('You are Ada.\n')
  const headers = { authorization: `Bearer ${token}` }
  const { env } = (await (await fetch(`${url}/env`, { headers })).json()) as {
    env: Record<string, string>
  }
  expect(env).toMatchObject({ OPENCLAW_STATE_DIR: folder, GATEWAY_TOKEN: token, EXTRA: 'kept' })
  expect(env).not.toHaveProperty('NODE_COMPILE_CACHE')
  await until(() => output.includes('a warning of the runtime'))
  for (const secret of ['words of a conversation', token, apiKey])
    expect(output).not.toContain(secret)
})

test.each([
  ['0', 0],
  ['7', 7],
])('passes a stop on, waits, and ends with OpenClaw’s %s', async (code, expected) => {
  const ended = start({ CODE: code })
  await ready()
  child?.kill('SIGTERM')
  expect((await ended)[0]).toBe(expected)
})

test('ends with an OpenClaw that ends by itself, or is not there', async () => {
  expect((await start({ CODE: '9' }))[0]).toBe(9)
  expect((await start({ OPENCLAW_PROGRAM: join(dir, 'none.mjs') }))[0]).toBe(1)
  expect((await start({ OPENCLAW_PROGRAM: '', PATH: dir }))[0]).toBe(1)
  await until(() => output.includes('The agent cannot start'))
})

test('goes with whoever holds its input', async () => {
  const ended = start({ EXIT_ON_STDIN_EOF: '1' })
  await ready()
  child?.stdin?.end()
  expect((await ended)[0]).toBe(0)
})

test('says which variable is missing, and no value', async () => {
  const ended = start({ GATEWAY_TOKEN: 'short-secret' })
  expect((await ended)[0]).toBe(1)
  await until(() => output.includes('GATEWAY_TOKEN'))
  expect(output).not.toContain('short-secret')
  expect((await start({ AGENT_DATA_DIR: '' }))[0]).toBe(1)
})
