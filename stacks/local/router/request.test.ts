import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { routerSecret, type HostRequest, say } from '#tests/support/agents/agent-hosts.ts'
import { echo, type RoutedAgent, startRoutedAgent } from '#tests/support/agents/routed-agent.ts'

let routed: RoutedAgent

beforeAll(async () => {
  routed = await startRoutedAgent()
})
afterAll(() => routed.close())
afterEach(() => routed.behave(echo))

/** Returns what the agent received of a request. */
async function seen(path: string, saying?: HostRequest) {
  const answer = await routed.ask(path, saying)
  expect(answer.status).toBe(200)
  return JSON.parse(answer.text) as {
    method: string
    url: string
    headers: Record<string, string | undefined>
  }
}

/** Records the paths that the agent receives from now on. */
function listen(): string[] {
  const heard: string[] = []
  routed.behave((incoming, response) => {
    heard.push(incoming.url ?? '')
    incoming.resume().once('end', () => response.end())
  })
  return heard
}

it('reaches its agent unchanged, with the gateway token in place of the key', async () => {
  const path = '/a%2Fb//c?x=1&x=%20'
  const { method, url, headers } = await seen(path, { method: 'PATCH', body: 'x' })
  expect({ method, url }).toEqual({ method: 'PATCH', url: path })
  expect(headers).toMatchObject({
    host: routed.host,
    authorization: `Bearer ${await routed.gate.tokenOf(routed.agent)}`,
    'x-forwarded-host': routed.host,
    'x-forwarded-proto': 'http',
  })
  expect(JSON.stringify(headers)).not.toContain(routed.owner.key)
})

it('a request with a cookie reaches the agent without the platform’s own cookies', async () => {
  const { host, owner, port, gate, agent } = routed
  const cookie = `theme=dark; ${await routed.cookieOf()}; ${owner.session.cookie}`
  const answer = await say(port, host, { headers: { cookie } })
  const { headers } = JSON.parse(answer.text) as { headers: Record<string, string> }
  expect(headers.cookie).toBe('theme=dark')
  expect(headers.authorization).toBe(`Bearer ${await gate.tokenOf(agent)}`)
})

it('a request cannot set the target or the identity headers', async () => {
  const { headers } = await seen('/', {
    headers: {
      'x-agent-upstream': '127.0.0.1:1',
      'x-agent-authorization': 'Bearer mine',
      'x-agent-cookie': 'mine=1',
      'x-router-secret': routerSecret,
      'x-forwarded-host': 'evil.example',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-proto': 'https',
      forwarded: 'for=10.0.0.1',
      connection: 'x-kept, authorization, keep-alive, content-length',
      'x-kept': 'not beyond this connection',
    },
  })
  expect(JSON.stringify(headers)).not.toMatch(/evil|10\.0\.0|mine|x-router|x-kept|https/)
  expect(headers.authorization).toBe(`Bearer ${await routed.gate.tokenOf(routed.agent)}`)
  expect(headers['x-forwarded-host']).toBe(routed.host)
})

it('a request that is denied is answered by the gate, and its agent gets nothing', async () => {
  const heard = listen()
  const { port, host, owner, withKey } = routed
  const stranger = await routed.gate.person()
  const answers = await Promise.all([
    say(port, host),
    say(port, host, { headers: owner.session }),
    say(port, host, { headers: { authorization: `Bearer ${stranger.key}` } }),
    say(port, 'nowhere.example', { headers: withKey }),
    say(port, `127.0.0.1:${port}`),
    say(port, `${host}.evil.example`, { headers: withKey }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 404, 404, 404, 404])
  for (const { headers, text } of answers) {
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(JSON.parse(text)).toEqual({ error: expect.any(String) })
  }
  expect(heard).toEqual([])
})

it.each([
  ['two hosts', (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n`],
  ['no host', () => 'GET / HTTP/1.1\r\n'],
  ['an absolute URL', (host: string) => `GET http://x.example/ HTTP/1.1\r\nHost: ${host}\r\n`],
  [
    'another protocol',
    (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n`,
  ],
  [
    'two content lengths',
    (host: string) =>
      `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
  ],
])('a request with %s is rejected', async (_, head) => {
  const heard = listen()
  const answer = await routed.raw(head(routed.host))
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(heard).toEqual([])
})

it('a request with framing headers in its Connection header does not become two requests', async () => {
  const heard = listen()
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n'
  const answer = await routed.raw(
    `GET /plain HTTP/1.1\r\nHost: ${routed.host}\r\n` +
      'Connection: close, transfer-encoding\r\nTransfer-Encoding: chunked\r\n',
    `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(heard).toEqual(['/plain'])
})

it('a request with larger headers than the gate accepts is rejected', async () => {
  const { status } = await routed.ask('/', { headers: { 'x-large': 'x'.repeat(9000) } })
  expect(status).toBe(431)
})
