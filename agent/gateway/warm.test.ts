import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
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

/** A port of this test alone, which the container has before and after it becomes an agent. */
async function port(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}

/** What a container of the pool is told: nothing of any agent. */
function variables(gatewayPort: string, more: Record<string, string> = {}): Record<string, string> {
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
    GATEWAY_PORT: gatewayPort,
    ...more,
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

test('a container waits, says that it is no agent, and becomes one when it is told to ask', async () => {
  const at = await port()
  platform.willAnswer(200, nobody)
  gateway = GatewayProcess.run(variables(at))
  const waiting = await until(() => fetch(`http://127.0.0.1:${at}/readyz`).catch(() => undefined))
  expect(waiting.status).toBe(200)
  expect(waiting.headers.get('agent-id')).toBe('wrm_test')
  expect((await fetch(`http://127.0.0.1:${at}/memory`)).status).toBe(404)
  await until(() => platform.asked.length === 1)

  platform.willAnswer(200, ada)
  platform.willAnswer(200, told)
  expect(await post(`http://127.0.0.1:${at}/start`)).toBe(202)
  await until(() => gateway?.output.includes('Agent Ada (agt_ada, generation 7)'))
  gateway.url = `http://127.0.0.1:${at}`
  const ready = await fetch(`${gateway.url}/readyz`)
  expect(ready.headers.get('agent-id')).toBe('agt_ada')
  expect(await gateway.json('/memory')).toMatchObject({ memory: {} })

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
  expect(gateway.output).not.toContain('the-token-of-adas-start')
})

test('a container that is told so though no agent wants it goes on waiting', async () => {
  const at = await port()
  platform.willAnswer(200, nobody)
  gateway = GatewayProcess.run(variables(at))
  await until(() => platform.asked.length === 1)
  for (const asked of [2, 3]) {
    platform.willAnswer(200, nobody)
    await until(async () => (await post(`http://127.0.0.1:${at}/start`)) === 202)
    await until(() => platform.asked.length === asked)
  }
  expect((await fetch(`http://127.0.0.1:${at}/healthz`)).status).toBe(200)
})

test('a container asks by itself where the platform was not there', async () => {
  platform.willAnswer(503)
  platform.willAnswer(0)
  platform.willAnswer(200, ada)
  platform.willAnswer(200, told)
  gateway = await GatewayProcess.start(variables(await port()))
  expect(platform.asked).toHaveLength(4)
})

test('a container that is not wanted any more ends', async () => {
  platform.willAnswer(401)
  gateway = GatewayProcess.run(variables(await port()))
  expect(await gateway.exited).toEqual({ code: 1, signal: null })
  expect(gateway.output).toContain('the platform refused this start with 401')
})

test('a container that waits is stopped by a signal, and ends with the process that holds its input', async () => {
  platform.willAnswer(200, nobody)
  gateway = GatewayProcess.run(variables(await port()))
  await until(() => platform.asked.length === 1)
  expect(await gateway.kill('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' })
  platform.willAnswer(200, nobody)
  gateway = GatewayProcess.run(variables(await port(), { EXIT_ON_STDIN_EOF: '1' }))
  await until(() => platform.asked.length === 2)
  gateway.child.stdin?.end()
  expect(await gateway.exited).toEqual({ code: 0, signal: null })
})
