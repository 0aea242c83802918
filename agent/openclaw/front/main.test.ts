import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiKey, token, until } from '../../gateway/testing/gateway.ts'
import { Platform } from '../../gateway/testing/platform.ts'

/** A fake OpenClaw that listens, and exits with a given code on request. */
const program = `
import { createServer } from 'node:http'
const port = Number(process.argv[process.argv.indexOf('--port') + 1])
createServer(({ url }, response) => {
  if (url === '/healthz') console.error('asked whether it answers')
  response.end(JSON.stringify({ ready: true, env: process.env }))
})
  .listen(port, '127.0.0.1')
console.log('words of a conversation')
console.error('a warning of the runtime')
if (process.env.HANG === 'when told') process.on('SIGUSR2', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })
if (process.env.HANG === 'when stopped') process.prependListener('SIGTERM', () => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })
if (process.env.HANG === 'as a plugin') process.on('SIGTERM', () => {})
else process.on('SIGTERM', () => setTimeout(() => process.exit(Number(process.env.CODE ?? 0)), 20))
if (process.env.CODE === '9') process.exit(9)
if (process.env.CODE === '8') {
  for (let n = 0; n < 20_000; n++) console.error('y'.repeat(999))
  process.stderr.write('out of memory\\n', () => process.exit(8))
}
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

/** Kills a front and its OpenClaw, if they still run. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function start(more: Record<string, string> = {}): Promise<[number | null, NodeJS.Signals | null]> {
  output = ''
  child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
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
    // A separate process group, so that no process outlives its test.
    detached: true,
  })
  started.push(child)
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  return once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
}

async function ready(): Promise<string> {
  const url = await until(() => /listens on (http:\S+),/.exec(output)?.[1])
  await until(async () => (await fetch(`${url}/readyz`)).status === 200)
  return url
}

test('writes OpenClaw’s configuration into a file that only its owner can read, and logs no response', async () => {
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
  const caches = join(tmpdir(), 'agent-agt_1')
  expect(env).toMatchObject({ XDG_CACHE_HOME: caches, npm_config_cache: join(caches, 'npm') })
  await until(() => output.includes('a warning of the runtime'))
  for (const secret of ['words of a conversation', token, apiKey])
    expect(output).not.toContain(secret)
})

test('fetches OpenClaw’s settings: credentials are its variables, and override no other variable', async () => {
  await using platform = await Platform.start()
  platform.willAnswer(503)
  platform.willAnswer(200, {
    variables: { GATEWAY_TOKEN: token, AI_API_KEY: apiKey, SYSTEM_PROMPT: 'You are Eve.' },
    credentials: { GITHUB_TOKEN: 'hers', AGENT_DATA_DIR: '/tmp/hers', GATEWAY_TOKEN: 'hers' },
  })
  void start({
    ...platform.environment,
    AGENT_GENERATION: '1',
    GATEWAY_TOKEN: '',
    AI_API_KEY: '',
    SYSTEM_PROMPT: '',
  })
  const url = await ready()
  expect(await readFile(join(dir, 'workspace/SOUL.md'), 'utf8')).toBe('You are Eve.\n')
  const headers = { authorization: `Bearer ${token}` }
  const { env } = (await (await fetch(`${url}/env`, { headers })).json()) as {
    env: Record<string, string>
  }
  expect(env).toMatchObject({
    AGENT_DATA_DIR: dir,
    AI_API_KEY: apiKey,
    GATEWAY_TOKEN: token,
    GITHUB_TOKEN: 'hers',
  })
  expect(env).not.toHaveProperty('AGENT_BOOTSTRAP_TOKEN')
  expect(platform.asked).toHaveLength(2)
})

test.each([
  ['0', 0],
  ['7', 7],
])('forwards a shutdown signal, waits, and exits with OpenClaw’s %s', async (code, expected) => {
  const ended = start({ CODE: code })
  await ready()
  child?.kill('SIGTERM')
  expect((await ended)[0]).toBe(expected)
})

test('prints at most a million bytes of an OpenClaw that floods its log, and why it ended', async () => {
  expect((await start({ CODE: '8' }))[0]).toBe(8)
  await until(() => output.includes('OpenClaw ended with 8'))
  await until(() => output.includes('\nout of memory\n'))
  expect(/\d+ lines \(\d+ bytes\) were dropped/.test(output)).toBe(true)
  expect(output.length).toBeLessThan(1_000_000)
})

test('exits if OpenClaw exits by itself or is not installed', async () => {
  expect((await start({ CODE: '9' }))[0]).toBe(9)
  expect((await start({ OPENCLAW_PROGRAM: join(dir, 'none.mjs') }))[0]).toBe(1)
  expect((await start({ OPENCLAW_PROGRAM: '', PATH: dir }))[0]).toBe(1)
  await until(() => output.includes('The agent cannot start'))
})

test('exits with the process that holds its standard input', async () => {
  const ended = start({ EXIT_ON_STDIN_EOF: '1' })
  await ready()
  child?.stdin?.end()
  expect((await ended)[0]).toBe(0)
})

test('names the missing variable, and no value', async () => {
  const ended = start({ GATEWAY_TOKEN: 'short-secret' })
  expect((await ended)[0]).toBe(1)
  await until(() => output.includes('GATEWAY_TOKEN'))
  expect(output).not.toContain('short-secret')
  expect((await start({ AGENT_DATA_DIR: '' }))[0]).toBe(1)
})

/** Returns the OpenClaw process of a front: the child that has its environment. */
async function openclawOf({ pid = 0 }: ChildProcess): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const one of children.trim().split(' '))
    if ((await readFile(`/proc/${one}/environ`, 'utf8')).includes('OPENCLAW_STATE_DIR='))
      return Number(one)
  throw new Error('there is no OpenClaw')
}

/** Longer than a hang may last, even on a busy machine. */
const hangTimeoutMs = 120_000

test.each([
  ['is suspended', {}, 'SIGSTOP'],
  ['blocks its event loop', { HANG: 'when told' }, 'SIGUSR2'],
] as const)(
  'exits if OpenClaw %s',
  async (_, more, signal) => {
    const ended = start(more)
    await ready()
    await until(() => output.includes('asked whether it answers'))
    process.kill(await openclawOf(child as ChildProcess), signal)
    expect((await ended)[0]).toBe(137)
    // The last output may still be in the pipe after the exit.
    await until(() => output.includes('OpenClaw no longer answers: killed'))
  },
  hangTimeoutMs,
)

test(
  'exits if OpenClaw hangs during a shutdown',
  async () => {
    const ended = start({ HANG: 'when stopped' })
    await ready()
    child?.kill('SIGTERM')
    expect((await ended)[0]).toBe(137)
  },
  hangTimeoutMs,
)

test('kills an OpenClaw that answers but does not end', async () => {
  const ended = start({ HANG: 'as a plugin', SHUTDOWN_GRACE_MS: '50' })
  await ready()
  child?.kill('SIGTERM')
  expect((await ended)[0]).toBe(137)
})

test(
  'the program is killed if it hangs',
  async () => {
    const ended = start()
    await ready()
    child?.kill('SIGSTOP')
    expect((await ended)[1]).toBe('SIGKILL')
  },
  hangTimeoutMs,
)
