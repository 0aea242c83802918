import { describe, expect, it, onTestFinished } from 'vitest'
import { routes as agentRoutes } from '#functions/backend/agent-mcp.ts'
import { routes as operatorRoutes } from '#functions/backend/infra-mcp.ts'
import { agentKeyIdentity } from '#shared/agents/record/ai-key.ts'
import { createApp } from '#shared/http/app.ts'
import { agentCaller, solo } from '#tests/support/ai/callers.ts'
import { json, startFailingServer } from '#tests/support/http/failing-server.ts'
import { internalKey } from '#tests/support/http/internal-caller.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { routes } from '../mcp.ts'

type Send = (body: string, headers?: Record<string, string>) => Promise<Response>

const types = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** The MCP server of users, with an API that accepts the caller. */
async function users(): Promise<Send> {
  const session = json(200, { user: { id: 'usr_1' } }, { 'x-oauth-scopes': 'read chat' })
  const api = await startFailingServer(session)
  onTestFinished(() => api[Symbol.asyncDispose]())
  const services = { webUrl: api.url, originSecret: undefined }
  const settings = { WEB_URL: api.url }
  const app = createApp({ surface: 'web', name: 'web-mcp', routes, services, settings })
  return async (body, headers) =>
    app.request('/mcp', {
      method: 'POST',
      body,
      headers: { ...types, authorization: 'Bearer sk_test', ...headers },
    })
}

/** The MCP server of operators. */
async function operators(): Promise<Send> {
  const { table, close } = await startTestTable()
  onTestFinished(close)
  const queues = { depthOf: () => Promise.reject(new Error('no queue is asked')), urls: {} }
  const app = createApp({
    surface: 'backend',
    name: 'backend-infra-mcp',
    routes: operatorRoutes,
    services: { table, watchedQueues: queues as never },
    settings: { INTERNAL_API_KEY: internalKey },
    table,
  })
  return async (body, headers) =>
    app.request('/api/infra-mcp', {
      method: 'POST',
      body,
      headers: { ...types, authorization: `Bearer ${internalKey}`, ...headers },
    })
}

/** The MCP server of an agent, called with the agent's own key. */
async function agents(): Promise<Send> {
  const { table, close } = await startTestTable()
  onTestFinished(close)
  const { headers: own } = await agentCaller(table, solo, { config: { mcp: true } })
  const nowhere = 'http://127.0.0.1:9'
  const app = createApp({
    surface: 'backend',
    name: 'backend-agent-mcp',
    routes: agentRoutes,
    services: {
      table,
      backendUrl: nowhere,
      summarizerUrl: nowhere,
      originSecret: undefined,
    },
    settings: { INTERNAL_API_KEY: internalKey },
    identity: { agentKey: agentKeyIdentity(table) },
    table,
  })
  return async (body, headers) =>
    app.request('/mcp', { method: 'POST', body, headers: { ...types, ...own, ...headers } })
}

/** Reads the message of a response, whole or from an event. */
async function messageOf(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text()
  const [, data = text] = /^data: (.+)$/m.exec(text) ?? []
  return JSON.parse(data) as Record<string, unknown>
}

const request = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
const list = request('tools/list')
const initialize = request('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

describe.each([
  ['users', users],
  ['operators', operators],
  ['agents', agents],
])('the server of %s', (_name, start) => {
  it.each([
    ['invalid JSON', '{"jsonrpc":', 400, -32_700, null],
    ['nothing', '', 400, -32_700, null],
    ['a batch', `[${list},${list}]`, 400, -32_600, null],
    ['an empty batch', '[]', 400, -32_600, null],
    ['a string', '"tools/list"', 400, -32_600, null],
    ['another version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', 400, -32_600, null],
    ['a missing method', '{"jsonrpc":"2.0","id":7}', 400, -32_600, null],
    ['a method that is not a string', '{"jsonrpc":"2.0","id":7,"method":1}', 400, -32_600, null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32_600, null],
    ['an unknown method', request('tools/explode'), 200, -32_601, 7],
    ['an unknown tool', request('tools/call', { name: 'explode' }), 200, -32_602, 7],
    ['an initialization without a version', request('initialize'), 200, -32_602, 7],
    ['a call without a name', request('tools/call', { arguments: {} }), 200, -32_602, 7],
  ])('returns %s as a JSON-RPC error', async (_what, body, status, code, id) => {
    const answer = await (await start())(body)
    expect(answer.status).toBe(status)
    const error = { code, message: expect.any(String) }
    expect(await messageOf(answer)).toEqual({ jsonrpc: '2.0', id, error })
  })

  it.each([
    ['a wildcard', { accept: '*/*' }, 200],
    ['a type with a charset', { 'content-type': 'application/json; charset=utf-8' }, 200],
    ['an Accept header with one type', { accept: 'application/json' }, 406],
    ['another content type', { 'content-type': 'text/plain' }, 400],
    ['an unknown protocol version', { 'mcp-protocol-version': '1999-01-01' }, 400],
    ['a session of another server', { 'mcp-session-id': 'abc' }, 200],
  ])(
    'a request with the header of %s is answered as the transport specifies',
    async (_what, headers, status) => {
      const answer = await (await start())(list, headers)
      expect(answer.status).toBe(status)
      expect(await messageOf(answer)).toMatchObject({ jsonrpc: '2.0' })
    },
  )

  it('accepts notifications and answers pings', async () => {
    const send = await start()
    const noted = await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect([noted.status, await noted.text()]).toEqual([202, ''])
    expect(await messageOf(await send(request('ping')))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {},
    })
  })

  it('declares tools without change notifications, and schemas that every client reads', async () => {
    const send = await start()
    const { result } = await messageOf(await send(initialize))
    expect(result).toMatchObject({ protocolVersion: '2025-06-18' })
    expect((result as { capabilities: object }).capabilities).toEqual({
      tools: { listChanged: false },
    })
    const listed = await messageOf(await send(list))
    const { tools } = listed['result'] as { tools: Record<string, unknown>[] }
    expect(tools).not.toEqual([])
    for (const { name, inputSchema, outputSchema } of tools) {
      expect(name).toMatch(/^[a-z_]{1,64}$/)
      expect(inputSchema).toMatchObject({ type: 'object' })
      expect(outputSchema).toMatchObject({ type: 'object' })
    }
    expect(JSON.stringify(tools)).not.toContain('$schema')
  })
})
