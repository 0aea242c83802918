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

/** Returns the variables of a task. The token is the only secret among them. */
function variables(more: Record<string, string> = {}): Record<string, string> {
  const {
    GATEWAY_TOKEN: _token,
    AI_API_KEY: _key,
    AGENT_NAME: _name,
    ...open
  } = home.environment('http://127.0.0.1:9/v1')
  return { ...open, ...platform.environment, ...more }
}

const secrets = { GATEWAY_TOKEN: token, AI_API_KEY: apiKey, AGENT_NAME: 'Ada' }
const answer = { variables: secrets, credentials: { PS4: '$(exit 1)', GITHUB_TOKEN: 'hers' } }

test('a gateway fetches the settings that its environment variables lack', async () => {
  platform.willAnswer(200, answer)
  gateway = await GatewayProcess.start(variables())
  expect(gateway.output).toContain('Agent Ada (agt_test, generation 3)')
  expect(await gateway.json('/memory')).toMatchObject({ memory: {} })
  expect(platform.asked).toMatchObject([
    {
      headers: { authorization: 'Bearer a-token-that-is-good-once' },
      question: { agentId: 'agt_test', generation: 3, nonce: expect.stringMatching(/^[\w-]{43}$/) },
    },
  ])
  for (const secret of [token, apiKey, 'hers', 'a-token-that-is-good-once'])
    expect(gateway.output).not.toContain(secret)
})

test('repeats its request under the same identity until the platform responds', async () => {
  platform.willAnswer(503)
  platform.willAnswer(0)
  platform.willAnswer(429)
  platform.willAnswer(200, 'no environment')
  platform.willAnswer(200, answer)
  gateway = await GatewayProcess.start(variables())
  expect((await gateway.fetch('/memory')).status).toBe(200)
  const nonces = platform.asked.map(({ question }) => question['nonce'])
  expect(nonces).toHaveLength(5)
  expect(new Set(nonces).size).toBe(1)
})

test('exits if the platform rejects its token, and logs no secret', async () => {
  platform.willAnswer(401)
  gateway = GatewayProcess.run(variables())
  expect(await gateway.exited).toEqual({ code: 1, signal: null })
  expect(gateway.output).toContain('the platform refused this start with 401')
  expect(gateway.output).not.toContain('a-token-that-is-good-once')
  expect(platform.asked).toHaveLength(1)
})

test('exits when the process that holds its standard input exits, even during the request', async () => {
  gateway = GatewayProcess.run(variables({ EXIT_ON_STDIN_EOF: '1' }))
  await until(() => platform.asked.length > 0)
  gateway.child.stdin?.end()
  expect(await gateway.exited).toEqual({ code: 0, signal: null })
})

test('exits on a signal, even during the request', async () => {
  gateway = GatewayProcess.run(variables())
  await until(() => platform.asked.length > 0)
  expect(await gateway.kill('SIGTERM')).toEqual({ code: null, signal: 'SIGTERM' })
})

test('requires the address of the platform', async () => {
  gateway = GatewayProcess.run(variables({ AGENT_BOOTSTRAP_URL: 'nowhere' }))
  expect(await gateway.exited).toEqual({ code: 1, signal: null })
  expect(gateway.output).toContain('AGENT_BOOTSTRAP_URL')
})
