import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GatewayProcess, Home, pieces, until } from './testing/gateway.ts'
import { Upstream, beginStream, endStream, say, sayChunk } from './testing/upstream.ts'

let home: Home
let upstream: Upstream

const question = { user: 'ann', messages: [{ role: 'user', content: 'hi' }], stream: true }

beforeEach(async () => {
  home = await Home.make()
  upstream = await Upstream.start()
})

afterEach(async () => {
  await upstream[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

const graceMs = 60_000

/** Returns the environment of an agent with a long grace period, for slow machines. */
const patient = () => home.environment(upstream.baseUrl, { SHUTDOWN_GRACE_MS: String(graceMs) })

/** Starts a streamed response; `finish` ends it. */
async function underWay(
  gateway: GatewayProcess,
): Promise<{ rest: () => Promise<string>; finish: () => void }> {
  const gate = Promise.withResolvers<void>()
  upstream.reply = async (response) => {
    beginStream(response)
    sayChunk(response, 'Hel')
    await gate.promise
    sayChunk(response, 'lo')
    endStream(response)
  }
  const reader = pieces(await gateway.chat(question))
  let text = (await reader.next()).value ?? ''
  const rest = async (): Promise<string> => {
    for await (const piece of reader) text += piece
    return text
  }
  return { rest, finish: gate.resolve }
}

test.each(['SIGTERM', 'SIGINT'] as const)('an idle gateway exits at once on %s', async (signal) => {
  await using gateway = await GatewayProcess.start(patient())
  await gateway.json('/memory')
  const sentAt = performance.now()
  expect(await gateway.kill(signal)).toEqual({ code: 0, signal: null })
  expect(performance.now() - sentAt).toBeLessThan(graceMs / 2)
})

test('SIGTERM during an answer lets it finish and rejects new requests', async () => {
  await using gateway = await GatewayProcess.start(patient())
  const { rest, finish } = await underWay(gateway)
  gateway.child.kill('SIGTERM')
  await until(() => gateway.output.includes('SIGTERM'))

  const ready = await fetch(`${gateway.url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({ ready: false, failing: ['draining'] })
  const refused = await gateway.chat(question)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.json()).toMatchObject({ error: { code: 'stopping' } })
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)

  finish()
  const text = await rest()
  expect(text).toContain('"lo"')
  expect(text).toMatch(/data: \[DONE\]\n\n$/)
  expect(await gateway.exited).toEqual({ code: 0, signal: null })

  await using next = await GatewayProcess.start(home.environment(upstream.baseUrl))
  expect(await next.json('/sessions/ann')).toMatchObject({
    messages: [{ content: 'hi' }, { content: 'Hello' }],
  })
})

test('SIGTERM does not truncate a large answer that is being sent', async () => {
  const large = 'x'.repeat(12_000_000)
  upstream.reply = (response) => say(response, large)
  await using gateway = await GatewayProcess.start(patient())
  const response = await gateway.chat({ messages: question.messages })
  gateway.child.kill('SIGTERM')
  await until(() => gateway.output.includes('SIGTERM'))
  expect(await response.text()).toContain(large)
  expect(await gateway.exited).toEqual({ code: 0, signal: null })
})

test('an answer that exceeds the grace period ends with an error, and its text so far is stored', async () => {
  await using gateway = await GatewayProcess.start(
    home.environment(upstream.baseUrl, { SHUTDOWN_GRACE_MS: '100' }),
  )
  const { rest } = await underWay(gateway)
  gateway.child.kill('SIGTERM')
  expect(await rest()).toMatch(/event: error\ndata: .*"code":"stopping".*\n\n$/)
  expect(await gateway.exited).toEqual({ code: 0, signal: null })

  await using next = await GatewayProcess.start(home.environment(upstream.baseUrl))
  expect(await next.json('/sessions/ann')).toMatchObject({
    messages: [{ content: 'hi' }, { content: 'Hel' }],
  })
})

test('ends with its supervisor if configured so, even during an answer', async () => {
  const environment = home.environment(upstream.baseUrl, { EXIT_ON_STDIN_EOF: '1' })
  await using idle = await GatewayProcess.start(environment)
  await using busy = await GatewayProcess.start(environment)
  const { rest } = await underWay(busy)
  for (const gateway of [idle, busy]) gateway.child.stdin?.end()
  expect(await idle.exited).toEqual({ code: 0, signal: null })
  expect(await rest()).toContain('"code":"stopping"')
  expect(await busy.exited).toEqual({ code: 0, signal: null })
})

test('leaves no orphan process after its supervisor is killed', async () => {
  const supervisor = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { spawn } from 'node:child_process'
       const child = spawn(process.execPath, [${JSON.stringify(join(import.meta.dirname, 'main.ts'))}],
         { stdio: ['pipe', 'inherit', 'inherit'] })
       child.once('exit', () => process.exit())`,
    ],
    {
      env: home.environment(upstream.baseUrl, { EXIT_ON_STDIN_EOF: '1' }),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  supervisor.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0])
  expect((await fetch(`${url}/readyz`)).status).toBe(200)

  supervisor.kill('SIGKILL')
  await once(supervisor, 'exit')
  const refused = (): Promise<boolean> =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    )
  expect(await until(refused)).toBe(true)
})

test('stays up without standard input if not configured to end with it', async () => {
  await using gateway = await GatewayProcess.start(home.environment(upstream.baseUrl))
  gateway.child.stdin?.end()
  gateway.child.stdout?.destroy()
  await gateway.json('/memory')
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
})
