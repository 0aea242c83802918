import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { agentConnectionsOver, callTool } from '#tests/support/tools/agent-connections.ts'
import { agentWithKey, trust } from '#tests/support/tools/broker.ts'
import { type ServerEra, startMcpServer } from '#tests/support/tools/mcp-server.ts'

let accounts: Keys
let server: Awaited<ReturnType<typeof startMcpServer>>
let platform: ReturnType<typeof agentConnectionsOver>
let ada: { id: string; session: string }
let agent: { agentId: string; key: string }
let users = 0

beforeAll(async () => {
  accounts = await startKeys()
  server = await startMcpServer({ era: 'both', tools: {} })
  trust(server.cert)
  platform = agentConnectionsOver(accounts.table, { allowed: [server.host] })
})
afterAll(async () => {
  await Promise.all([accounts.close(), server.close()])
})
beforeEach(async () => {
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agent = await agentWithKey(accounts.table, ada.id)
  server.seen.length = 0
  server.played.era = 'both'
})

const keep = (allow: readonly string[]) =>
  platform.keep(ada.session, agent.agentId, server.url, allow)
const connect = () => platform.connect(agent.key)
const connection = async () => (await platform.seen(ada.session, agent.agentId)).connection
const lastCall = () => server.seen.findLast(({ method }) => method === 'tools/call')

/** A tool whose server wants these properties in headers. */
const query = (properties: Record<string, unknown>) => ({
  inputSchema: { type: 'object', properties },
  call: (input: object) => JSON.stringify(input),
})

describe.each<ServerEra>(['stateless', 'sessions'])('a server of the versions %s', (era) => {
  it('has its tools called by names of any script', async () => {
    server.played.era = era
    server.played.tools = { 'suche-für-alle': { call: () => 'found' }, 検索: { call: () => '見' } }
    await keep(['suche-für-alle', '検索'])
    const client = await connect()
    expect(await callTool(client, 'suche-für-alle')).toEqual({ text: 'found', isError: false })
    expect(await callTool(client, '検索')).toEqual({ text: '見', isError: false })
  })
})

describe('parameters that a server wants in headers', () => {
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  const tool = query({
    region,
    page: {
      type: 'object',
      properties: { size: { type: 'integer', 'x-mcp-header': 'Page-Size' } },
    },
    all: { type: 'boolean', 'x-mcp-header': 'All' },
    text: { type: 'string' },
  })

  beforeEach(async () => {
    server.played.tools = { query: tool }
    await keep(['query'])
  })

  const headersOf = async (input: Record<string, unknown>) => {
    expect(await callTool(await connect(), 'query', input)).toEqual({
      text: JSON.stringify(input),
      isError: false,
    })
    return Object.fromEntries(
      [...(lastCall()?.headers ?? [])].filter(([name]) => name.startsWith('mcp-param-')),
    )
  }

  it('are in them, and the agent does not see the annotations', async () => {
    const input = { region: 'us-west1', page: { size: 20 }, all: false, text: 'tea' }
    expect(await headersOf(input)).toEqual({
      'mcp-param-region': 'us-west1',
      'mcp-param-page-size': '20',
      'mcp-param-all': 'false',
    })
    const { tools } = await (await connect()).listTools()
    expect(tools[0]?.inputSchema.properties).toHaveProperty('region', { type: 'string' })
    expect(JSON.stringify(tools)).not.toContain('x-mcp-header')
  })

  it('are in none without a value', async () => {
    expect(await headersOf({ text: 'tea' })).toEqual({})
  })

  it.each([
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['a\r\nx-injected: 1', '=?base64?YQ0KeC1pbmplY3RlZDogMQ==?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
  ])('cannot inject another header: %j', async (value, header) => {
    expect(await headersOf({ region: value })).toEqual({ 'mcp-param-region': header })
    expect(lastCall()?.headers.has('x-injected')).toBe(false)
  })

  it('are only in the body for a server of an earlier version', async () => {
    server.played.era = 'sessions'
    expect(await headersOf({ region: 'us-west1' })).toEqual({})
  })
})

describe('a tool whose parameters cannot be in headers', () => {
  const mark = (name: unknown, type = 'string') => ({ type, 'x-mcp-header': name })

  it.each<[what: string, properties: Record<string, unknown>]>([
    ['a line break in the name', { a: mark('A\r\nx-injected: 1') }],
    ['an empty name', { a: mark('') }],
    ['a name that is no text', { a: mark(1) }],
    ['the same name twice', { a: mark('Region'), b: mark('region') }],
    ['a number', { a: mark('A', 'number') }],
    ['a list', { a: { type: 'array', items: mark('A') } }],
    ['a choice', { a: { anyOf: [mark('A')] } }],
    ['too many', Object.fromEntries(Array.from({ length: 21 }, (_, i) => [i, mark(`P${i}`)]))],
  ])('because of %s is left out, and its owner sees it', async (_, properties) => {
    const good = query({ 'x-mcp-header': { type: 'string' } })
    const given = { good: good.inputSchema, bad: query(properties).inputSchema }
    const tools = Object.entries(given).map(([name, inputSchema]) => ({ name, inputSchema }))
    server.played.before = async (request) => {
      const { id, method } = (await request.clone().json()) as { id: number; method: string }
      if (method !== 'tools/list') return undefined
      return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', tools } })
    }
    try {
      await keep(['good'])
    } finally {
      server.played.before = undefined
    }
    expect(await connection()).toMatchObject({
      tools: [{ name: 'good' }],
      leftOut: [{ name: 'bad', reason: 'its declaration is invalid' }],
    })
    const { tools: listed } = await (await connect()).listTools()
    expect(listed.map(({ name }) => name)).toEqual(['good'])
    // A property may have the name of the annotation.
    expect(listed[0]?.inputSchema.properties).toHaveProperty('x-mcp-header')
  })
})

it('the allowed tools of a connection have a bound in the prompt, and the owner sees which are left out', async () => {
  const description = 'x'.repeat(20_000)
  const names = ['a', 'b', 'c', 'd', 'e']
  server.played.tools = {
    ...Object.fromEntries(names.map((name) => [name, { description, call: () => name }])),
    small: { call: () => 'small' },
  }
  const changed = await keep([...names.slice(1), 'small'])
  const leftOut = [{ name: 'e', reason: 'the allowed tools have more than 65536 bytes' }]
  expect(changed['leftOut']).toEqual(leftOut)
  expect(await connection()).toMatchObject({ leftOut })
  const client = await connect()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['b', 'c', 'd', 'small'])
  expect(await platform.allow(ada.session, agent.agentId, ['e', 'small'])).toMatchObject({
    leftOut: [],
  })
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['e', 'small'])
})

it('passes on an error of JSON-RPC, with and without data', async () => {
  server.played.tools = { read: {} }
  await keep(['read'])
  const client = await connect()
  await callTool(client, 'read')
  for (const more of [{}, { data: { a: 1 } }]) {
    const error = { code: -32_602, message: 'no such page', ...more }
    server.played.before = () => Response.json({ jsonrpc: '2.0', id: 1, error })
    expect(await callTool(client, 'read')).toEqual({
      text: '{"error":"The server refused the call: no such page"}',
      isError: true,
    })
  }
  server.played.before = undefined
  expect(await connection()).toMatchObject({ state: 'connected' })
})
