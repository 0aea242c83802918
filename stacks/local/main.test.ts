import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePorts } from './testing/free-ports.ts'
import { root, temporaryDir, until } from './testing/harness.ts'

interface Program {
  child: ChildProcess
  /** Returns all output so far. */
  text(): string
  /** Resolves to the exit code. */
  ended: Promise<number | null>
}

let dir: Awaited<ReturnType<typeof temporaryDir>>
const programs: Program[] = []

beforeEach(async () => {
  dir = await temporaryDir()
})
afterEach(async () => {
  // Wait for all programs to exit before their folders are removed.
  for (const { child, ended } of programs.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
  await dir[Symbol.asyncDispose]()
})

function run(environment: Record<string, string> = {}, ...flags: string[]): Program {
  const main = join(import.meta.dirname, 'main.ts')
  const options = ['--disable-warning=ExperimentalWarning', main, ...flags]
  return start(process.execPath, options, environment)
}

function start(command: string, options: string[], environment: Record<string, string>): Program {
  const child = spawn(command, options, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: join(dir.path, 'data'),
      ...freePorts,
      ...environment,
    },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const program = {
    child,
    text: () => printed,
    // `close` and not `exit`: the last output may still be in the pipe after the exit.
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
  programs.push(program)
  return program
}

const ready = async (program: Program) => {
  let code: number | null | undefined
  void program.ended.then((ended) => (code = ended))
  const isReady = () => {
    if (code !== undefined) throw new Error(`it ended with ${code}:\n${program.text()}`)
    return program.text().includes('Ctrl-C stops everything.')
  }
  await until('it is ready', isReady, 90)
  const url = /web\s+(http:\S+)/.exec(program.text())?.[1] ?? ''
  return { url }
}

/** Returns the files below a folder, without links, that other users can access. */
async function openToOthers(folder: string) {
  const names = await readdir(folder, { recursive: true })
  const all = [folder, ...names.map((name) => join(folder, name))]
  const seen: string[] = []
  const found: string[] = []
  for (const path of all) {
    // Short-lived files, such as a database's journal, may be gone by now.
    const stats = await lstat(path).catch(() => undefined)
    if (stats === undefined || stats.isSymbolicLink()) continue
    seen.push(path)
    if ((stats.mode & 0o077) !== 0) found.push(`${path} ${(stats.mode & 0o777).toString(8)}`)
  }
  return { seen, found }
}

// Long timeout: a start bundles changed functions, and the machine may be busy.
describe('npm run dev', { timeout: 120_000 }, () => {
  test('prints the running parts, serves, and ends on SIGTERM with a message', async () => {
    const program = run()
    const { url } = await ready(program)
    expect(program.text()).toMatch(/Ready in \d+\.\d s\./)
    expect(program.text()).toContain('/api/register')
    expect(program.text()).toContain('curl -X POST $PAGE/pay')
    const [, checkout = ''] = /payments +(http:\S+) +a stand-in/.exec(program.text()) ?? []
    expect(await (await fetch(checkout)).text()).toContain('no money moves')
    expect((await fetch(`${url}/api/health`)).status).toBe(200)
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
    const began = Date.now()
    program.child.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    // A queue poll takes up to twenty seconds; the stop must not wait for it.
    expect(Date.now() - began).toBeLessThan(15_000)
    expect(program.text()).toContain('Stopped everything')
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('names the environment’s key and incomplete settings, and treats npm’s repeated signal as one', async () => {
    const program = run({
      INTERNAL_API_KEY: 'a-key-of-ones-own',
      AI_API_KEY: 'sk-unused',
      IDP_ISSUER: 'https://accounts.example.com',
      // Without a checkout, the backend's key can set a plan.
      PAYMENTS: 'off',
    })
    await ready(program)
    expect(program.text()).toContain('"authorization: Bearer $INTERNAL_API_KEY"')
    expect(program.text()).toContain('AI_API_KEY is set without AI_BASE_URL')
    expect(program.text()).toContain(
      'sign-in by OpenID Connect stays off until you set IDP_CLIENT_ID, IDP_CLIENT_SECRET',
    )
    expect(program.text()).not.toContain('clones stays off')
    expect(program.text()).not.toContain('a-key-of-ones-own')
    // The stopped process receives both signals immediately when it continues.
    program.child.kill('SIGSTOP')
    program.child.kill('SIGINT')
    // A different signal, because two pending signals of one kind are delivered as one.
    program.child.kill('SIGTERM')
    program.child.kill('SIGCONT')
    expect(await program.ended).toBe(0)
    expect(program.text()).toContain('Stopped everything')
  })

  test('keeps its files private under any umask, and ends with npm’s shell', async () => {
    const data = join(dir.path, 'data')
    await mkdir(join(data, 'outbox/old'), { recursive: true })
    await writeFile(join(data, 'outbox/old/mail.json'), '{}')
    const outside = join(dir.path, 'outside')
    await writeFile(outside, '')
    await symlink(outside, join(data, 'outbox/link'))
    for (const path of ['outbox', 'outbox/old', '']) await chmod(join(data, path), 0o755)
    for (const path of [join(data, 'outbox/old/mail.json'), outside]) await chmod(path, 0o664)
    const [node, main] = [process.execPath, join(import.meta.dirname, 'main.ts')]
    // The second command keeps the shell from replacing itself with the program.
    const program = start('sh', ['-c', `umask 0; '${node}' '${main}'; true`], {
      npm_lifecycle_event: 'dev',
    })
    const { url } = await ready(program)
    const open = await openToOthers(data)
    expect(open.seen).toContain(join(data, 'outbox/old/mail.json'))
    expect(open.seen).toContain(join(data, 'secrets.json'))
    expect(open.seen.some((path) => path.endsWith('.sqlite'))).toBe(true)
    expect(open.found).toEqual([])
    expect((await stat(outside)).mode & 0o777).toBe(0o664)
    program.child.kill('SIGTERM')
    await until('it stops', () => program.text().includes('Stopped everything'))
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  test('prints with --help the parts, the addresses and the settings, and starts nothing', async () => {
    const program = run({}, '--help')
    expect(await program.ended).toBe(0)
    for (const word of ['--reset', 'AGENTS_PORT', '3002', 'DATA_DIR', '.data', 'AI_BASE_URL'])
      expect(program.text()).toContain(word)
    expect(existsSync(join(dir.path, 'data'))).toBe(false)
  })

  test.each([
    [{ WEB_PORT: '99999' }, 'WEB_PORT: '],
    [{ AGENT_RUNTIME: 'other' }, 'AGENT_RUNTIME: '],
    [{ DATA_DIR: join(import.meta.dirname, 'main.ts') }, 'DATA_DIR: '],
    [
      { SQS_ENDPOINT: 'http://127.0.0.1:2' },
      'SQS_ENDPOINT: nothing answers at http://127.0.0.1:2 (',
    ],
  ])(
    'npm run dev with %o prints the error and the fix, before it bundles',
    async (environment, message) => {
      const program = run(environment)
      expect(await program.ended).toBe(1)
      expect(program.text()).toContain(message)
      expect(program.text()).not.toContain('Starting')
      expect(program.text()).not.toMatch(/^\s+at /m)
    },
  )

  test('names its ports in use before it bundles', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    const program = run({ SUMMARIZER_PORT: port })
    expect(await program.ended).toBe(1)
    expect(program.text()).toContain(`SUMMARIZER_PORT: port ${port} is in use`)
    expect(program.text()).not.toContain('Starting')
    other.close()
  })

  test.each([0o640, 0o604, 0o620])(
    'does not start with secrets that others may read or change (mode %o), and prints the fix',
    async (mode) => {
      const data = join(dir.path, 'data')
      const secrets = join(data, 'secrets.json')
      await mkdir(data, { mode: 0o700 })
      await writeFile(secrets, 'anything')
      await chmod(secrets, mode)
      const program = run()
      expect(await program.ended).toBe(1)
      expect(program.text()).toContain(`chmod 600 '${secrets}'`)
      expect(program.text()).not.toContain('Starting')
      expect((await stat(secrets)).mode & 0o777).toBe(mode)
    },
  )

  test('starts with new secrets under --reset, if others could read the old ones', async () => {
    const data = join(dir.path, 'data')
    const secrets = join(data, 'secrets.json')
    await mkdir(data, { mode: 0o700 })
    await writeFile(secrets, 'anything')
    await chmod(secrets, 0o640)
    await ready(run({}, '--reset'))
    expect((await stat(secrets)).mode & 0o777).toBe(0o600)
  })

  test('rejects an unknown flag', async () => {
    const program = run({}, '--rest')
    expect(await program.ended).toBe(1)
    expect(program.text()).toContain("'--rest'")
    expect(program.text()).toContain('--help')
  })
})
