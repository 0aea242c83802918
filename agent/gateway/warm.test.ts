import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiKey, GatewayProcess, Home, token, until } from './testing/gateway.ts'
import { Platform } from './testing/platform.ts'

let home: Home
let platform: Platform
let gateway: GatewayProcess | undefined

beforeEach(async () => {
  home = await Home.make()
  platform = await Platform.start()
})
afterEach(async () => {
  await gateway?.[Symbol.asyncDispose]()
  await platform[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

/** Returns the variables of a container in the pool. They contain nothing about an agent. */
function variables(more: Record<string, string> = {}): Record<string, string> {
  const {
    GATEWAY_TOKEN: _token,
    AI_API_KEY: _key,
    AGENT_NAME: _name,
    AGENT_ID: _id,
    AGENT_GENERATION: _generation,
    ...open
  } = home.environment('http://127.0.0.1:9/v1')
  return {
    ...open,
    ...platform.environment,
    AGENT_WARM_ID: 'wrm_test',
    ...more,
  }
}

/**
 * Runs a container at a fixed port, so that its address is known before and after it becomes an agent. The kernel assigns no
 * free ports in this range. If another test has the port, the container exits before its first request.
 */
async function runAtPort(): Promise<GatewayProcess> {
  for (;;) {
    const port = 11_000 + Math.floor(Math.random() * 8000)
    const one = GatewayProcess.run(variables({ GATEWAY_PORT: String(port) }))
    gateway = one
    one.url = `http://127.0.0.1:${port}`
    const listens = async () => {
      if (one.output.includes('EADDRINUSE')) return 'taken'
      const answer = await fetch(`${one.url}/readyz`).catch(() => undefined)
      return answer?.headers.get('agent-id') === 'wrm_test' && 'waits'
    }
    if ((await until(listens)) === 'waits') return one
    await one.exited
  }
}

const nobody = { start: null }
const ada = { start: { agentId: 'agt_ada', generation: 7, token: 'the-token-of-adas-start' } }
const told = {
  variables: { GATEWAY_TOKEN: token, AI_API_KEY: apiKey, AGENT_NAME: 'Ada' },
  credentials: {},
}

const post = (url: string) =>
  fetch(url, { method: 'POST' }).then(
    ({ status }) => status,
    () => 0,
  )

test('a warm container waits, reports that it has no agent, and becomes an agent after it is notified', async () => {
  platform.willAnswer(200, nobody)
  const container = await runAtPort()
  const waiting = await fetch(`${container.url}/readyz`)
  expect(waiting.status).toBe(200)
  expect(waiting.headers.get('agent-id')).toBe('wrm_test')
  expect((await fetch(`${container.url}/memory`)).status).toBe(404)
  await until(() => platform.asked.length === 1)

  platform.willAnswer(200, ada)
  platform.willAnswer(200, told)
  expect(await post(`${container.url}/start`)).toBe(202)
  await until(() => container.output.includes('Agent Ada (agt_ada, generation 7)'))
  const ready = await fetch(`${container.url}/readyz`)
  expect(ready.headers.get('agent-id')).toBe('agt_ada')
  expect(await container.json('/memory')).toMatchObject({ memory: {} })

  const [first, second, third] = platform.asked
  expect(first).toMatchObject({
    url: '/bootstrap/warm',
    headers: { authorization: 'Bearer a-token-that-is-good-once' },
    question: { warmId: 'wrm_test', nonce: expect.stringMatching(/^[\w-]{43}$/) },
  })
  expect(second?.question).toEqual(first?.question)
  expect(third).toMatchObject({
    url: '/bootstrap',
    headers: { authorization: 'Bearer the-token-of-adas-start' },
    question: { agentId: 'agt_ada', generation: 7 },
  })
  expect(third?.question['nonce']).not.toBe(first?.question['nonce'])
  expect(container.output).not.toContain('the-token-of-adas-start')
})

test('a warm container that is notified by mistake keeps waiting', async () => {
  platform.willAnswer(200, nobody)
  const container = await runAtPort()
  await until(() => platform.asked.length === 1)
  for (const asked of [2, 3]) {
    platform.willAnswer(200, nobody)
    await until(async () => (await post(`${container.url}/start`)) === 202)
    await until(() => platform.asked.length === asked)
  }
  expect((await fetch(`${container.url}/healthz`)).status).toBe(200)
})

test('a notified container retries a failed request before its next regular one', async () => {
  platform.willAnswer(200, nobody)
  const container = await runAtPort()
  await until(() => platform.asked.length === 1)
  for (const status of [503, 503, 503]) platform.willAnswer(status)
  platform.willAnswer(200, ada)
  platform.willAnswer(200, told)
  expect(await post(`${container.url}/start`)).toBe(202)
  // Its regular requests are at least ten seconds apart, so they would take longer than the test waits.
  await until(() => platform.asked.length >= 5)
  await until(() => container.output.includes('Agent Ada'))
})

test('a warm container polls by itself if the platform was unavailable', async () => {
  platform.willAnswer(503)
  platform.willAnswer(0)
  platform.willAnswer(200, ada)
  platform.willAnswer(200, told)
  gateway = await GatewayProcess.start(variables())
  expect(platform.asked).toHaveLength(4)
})

test('a warm container that is no longer needed exits', async () => {
  platform.willAnswer(401)
  gateway = GatewayProcess.run(variables())
  expect(await gateway.exited).toEqual({ code: 1, signal: null })
  expect(gateway.output).toContain('the platform refused this start with 401')
})

test('a warm container exits on a signal, and with the process that holds its standard input', async () => {
  platform.willAnswer(200, nobody)
  gateway = GatewayProcess.run(variables())
  await until(() => platform.asked.length === 1)
  expect(await gateway.kill('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' })
  platform.willAnswer(200, nobody)
  gateway = GatewayProcess.run(variables({ EXIT_ON_STDIN_EOF: '1' }))
  await until(() => platform.asked.length === 2)
  gateway.child.stdin?.end()
  expect(await gateway.exited).toEqual({ code: 0, signal: null })
})
