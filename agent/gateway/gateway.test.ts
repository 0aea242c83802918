import { expect, test } from 'vitest'
import { GatewayProcess, Home, apiKey, token, until } from './testing/gateway.ts'
import { useAgent } from './testing/use.ts'

const on = useAgent()

test('answers the probes without a token', async () => {
  const live = await fetch(`${on.gateway.url}/healthz`)
  expect([live.status, await live.json()]).toEqual([200, { ok: true, status: 'live' }])

  const ready = await fetch(`${on.gateway.url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { ready: true, failing: [], uptimeMs: expect.any(Number) },
  ])

  const health = await fetch(`${on.gateway.url}/health`)
  expect([health.status, await health.json()]).toEqual([
    200,
    { ok: true, status: 'live', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
  ])
})

test('reports the bytes it has printed, and the bytes it has sent only in a network of its own', async () => {
  const shared = await fetch(`${on.gateway.url}/readyz`)
  expect(shared.headers.get('agent-sent-bytes')).toBeNull()
  expect(Number(shared.headers.get('agent-printed-bytes'))).toBeGreaterThan(0)
  expect(await on.gateway.json('/stats')).toMatchObject({
    network: null,
    log: { lines: expect.any(Number), bytes: expect.any(Number), dropped: 0 },
  })

  const own = { ECS_CONTAINER_METADATA_URI_V4: 'http://169.254.170.2/v4/task' }
  await using gateway = await GatewayProcess.start(
    on.home.environment(on.upstream.baseUrl, { ...own, GATEWAY_PORT: '0' }),
  )
  const ready = await fetch(`${gateway.url}/readyz`)
  expect(ready.headers.get('agent-sent-bytes')).toMatch(/^\d+$/)
  expect(await gateway.json('/stats')).toMatchObject({
    network: { rxBytes: expect.any(Number), txBytes: expect.any(Number) },
  })
})

test.each([
  ['POST', '/v1/chat/completions'],
  ['GET', '/v1/models'],
  ['GET', '/sessions'],
  ['POST', '/sessions'],
  ['GET', '/sessions/x'],
  ['DELETE', '/sessions/x'],
  ['GET', '/memory'],
  ['PUT', '/memory/x'],
  ['DELETE', '/memory/x'],
  ['DELETE', '/memory'],
  ['GET', '/skills'],
  ['POST', '/skills/x/enable'],
  ['GET', '/no/such/path'],
  ['GET', '/healthz/'],
  ['GET', '/%68ealthz'],
])('%s %s requires the token', async (method, path) => {
  const wrong = ['', 'Bearer', 'Bearer ', `Basic ${token}`, `Bearer ${token}x`, token]
  const answers = await Promise.all(
    [undefined, ...wrong].map((authorization) =>
      fetch(on.gateway.url + path, {
        method,
        headers: authorization === undefined ? {} : { authorization },
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401))
  expect(await answers[0]?.json()).toEqual({
    error: {
      message: 'A bearer token is required',
      type: 'authentication_error',
      code: 'missing_token',
      param: null,
    },
  })
  expect(on.upstream.calls).toEqual([])
})

test('returns 404 for an unknown path and 405 for a wrong method', async () => {
  expect((await on.gateway.fetch('/no/such/path')).status).toBe(404)
  expect((await on.gateway.fetch('/%')).status).toBe(400)

  const wrongMethod = await on.gateway.fetch('/memory', { method: 'POST' })
  expect(wrongMethod.status).toBe(405)
  expect(wrongMethod.headers.get('allow')).toBe('GET, DELETE')
  expect(await wrongMethod.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
})

test('keeps a caller’s request id and otherwise generates one', async () => {
  const named = await on.gateway.fetch('/memory', { headers: { 'x-request-id': 'req_1' } })
  expect(named.headers.get('x-request-id')).toBe('req_1')

  const forged = await on.gateway.fetch('/memory', { headers: { 'x-request-id': 'a b' } })
  expect(forged.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test.each([
  ['malformed JSON', '{"messages":', {}, 400],
  ['a value that is not an object', '[]', {}, 400],
  ['no body', '', {}, 400],
  ['another content type', '{}', { 'content-type': 'text/plain' }, 400],
  ['no messages', '{}', {}, 400],
  ['an empty conversation', '{"messages":[]}', {}, 400],
  ['an unknown role', '{"messages":[{"role":"root","content":"x"}]}', {}, 400],
  ['content that is a number', '{"messages":[{"role":"user","content":1}]}', {}, 400],
  [
    'a model that is not a string',
    '{"messages":[{"role":"user","content":"x"}],"model":1}',
    {},
    400,
  ],
  ['stream that is not a boolean', '{"messages":[{"role":"user"}],"stream":"yes"}', {}, 400],
  ['an empty session name', '{"messages":[{"role":"user"}],"user":""}', {}, 400],
  ['over 1 MB', JSON.stringify({ messages: 'x'.repeat(1_048_576) }), {}, 413],
  ['far over 1 MB', JSON.stringify({ messages: 'x'.repeat(5_000_000) }), {}, 413],
])('rejects a chat with %s', async (_, body, headers, status) => {
  const response = await on.gateway.fetch('/v1/chat/completions', { method: 'POST', body, headers })
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({
    error: { message: expect.any(String), type: 'invalid_request_error', code: expect.any(String) },
  })
  expect(on.upstream.calls).toEqual([])
})

test('logs one JSON line per request, without secrets, names or content', async () => {
  await on.gateway.fetch('/memory/hobby?q=1', {
    method: 'PUT',
    body: '{"memory":"plays the theremin"}',
    headers: { 'x-request-id': 'req_log' },
  })
  const line = await until(() =>
    on.gateway.output.split('\n').find((text) => text.includes('req_log')),
  )
  expect(JSON.parse(line)).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    agentId: 'agt_test',
    generation: 3,
    requestId: 'req_log',
    method: 'PUT',
    path: '/memory/:key',
    status: 200,
    ms: expect.any(Number),
  })
  for (const secret of [token, apiKey, 'theremin', 'hobby']) {
    expect(on.gateway.output).not.toContain(secret)
  }
})

test('a gateway is not ready without its workspace, and is ready again once it returns', async () => {
  await using own = await Home.make()
  await using other = await GatewayProcess.start(own.environment(on.upstream.baseUrl))
  await own[Symbol.asyncDispose]()

  const response = await fetch(`${other.url}/readyz`)
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ ready: false, failing: ['workspace'] })
  expect((await fetch(`${other.url}/healthz`)).status).toBe(200)

  expect((await other.fetch('/sessions', { method: 'POST' })).status).toBe(201)
  expect((await fetch(`${other.url}/readyz`)).status).toBe(200)
})

test('logs a failed probe, and no successful one', async () => {
  await using own = await Home.make()
  await using other = await GatewayProcess.start(own.environment(on.upstream.baseUrl))
  const linesOf = (path: string) => other.output.split('\n').filter((line) => line.includes(path))
  for (const path of ['/health', '/healthz', '/readyz'])
    expect((await fetch(other.url + path)).status).toBe(200)
  await own[Symbol.asyncDispose]()
  expect((await fetch(`${other.url}/readyz`)).status).toBe(503)
  await until(() => linesOf('/readyz').length > 0)
  expect(linesOf('/readyz').map((line) => (JSON.parse(line) as { status: number }).status)).toEqual(
    [503],
  )
  expect(linesOf('/health')).toEqual([])
})

test('does not start with an invalid environment, and names each variable without its value', async () => {
  const secret = 'too-short-123'
  const environment = on.home.environment('ftp://x', {
    GATEWAY_TOKEN: secret,
    GATEWAY_PORT: '70000',
  })
  delete environment['AI_API_KEY']
  await using broken = GatewayProcess.run(environment)

  expect(await broken.exited).toEqual({ code: 1, signal: null })
  for (const name of ['AI_BASE_URL', 'AI_API_KEY', 'GATEWAY_TOKEN', 'GATEWAY_PORT']) {
    expect(broken.output).toContain(name)
  }
  expect(broken.output).not.toContain(secret)
})

test('does not start on a port that is in use', async () => {
  const port = new URL(on.gateway.url).port
  await using second = GatewayProcess.run(
    on.home.environment(on.upstream.baseUrl, { GATEWAY_PORT: port }),
  )
  expect(await second.exited).toEqual({ code: 1, signal: null })
  expect(second.output).toContain('EADDRINUSE')
})
