import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import { connectClient, eras } from '../support/http/mcp-client.ts'
import {
  call,
  chat,
  newSubscriber,
  runningAgent,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'

const url = () => `${stack().backend}/api/infra-mcp`

let user: TestUser
let agentId: string
let client: Client | undefined

beforeAll(async () => {
  user = await newSubscriber()
  agentId = await runningAgent(user)
})
afterEach(async () => {
  await client?.close()
  client = undefined
})

async function connected(era?: (typeof eras)[number]): Promise<Client> {
  client = await connectClient(url(), stack().internalKey, era === undefined ? {} : { era })
  return client
}

describe.each(eras)('a client of the protocol of %s', (era) => {
  it('lists read-only tools, with the schemas of input and output', async () => {
    const { tools } = await (await connected(era)).listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      'get_agent',
      'get_backlog',
      'get_costs',
      'list_agents',
      'list_heavy_senders',
      'list_incidents',
      'list_queues',
    ])
    for (const { annotations, description, inputSchema, outputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
      expect(description).toMatch(/\w/)
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    }
    // A client sends this list to its model with every turn.
    expect(JSON.stringify(tools).length).toBeLessThan(12 * 1024)
  })

  it('reads the state of a running agent, the cost of its owner’s calls, and the queues', async () => {
    const operator = await connected(era)
    const ask = async (name: string, args: Record<string, unknown> = {}) => {
      const { structuredContent, content, isError } = await operator.callTool({
        name,
        arguments: args,
      })
      expect([isError ?? false, content]).toEqual([
        false,
        [{ type: 'text', text: JSON.stringify(structuredContent) }],
      ])
      return structuredContent
    }
    // A check may report it as running before its own event arrives.
    await eventually(async () =>
      expect(await ask('get_agent', { agentId })).toMatchObject({
        id: agentId,
        userId: user.id,
        status: 'running',
        health: 'healthy',
        desired: 'running',
        image: expect.any(String),
        stopReason: null,
      }),
    )
    expect(await ask('list_agents', { userId: user.id })).toMatchObject({
      agents: [{ id: agentId, status: 'running' }],
      nextCursor: null,
    })
    expect((await chat(user, { agentId, message: 'hello' })).status).toBe(200)
    await eventually(async () =>
      expect(await ask('get_costs', { by: 'agent', userId: user.id })).toMatchObject({
        rows: [{ key: agentId, calls: expect.any(Number) }],
      }),
    )
    const { queues } = (await ask('list_queues')) as { queues: { name: string }[] }
    expect(queues.map(({ name }) => name)).toContain('provisioning')
    expect(await ask('get_backlog')).toMatchObject({ work: expect.any(Array) })
    expect(await ask('list_incidents', { userId: user.id })).toEqual({
      incidents: [],
      nextCursor: null,
    })
  })

  it('gets the error of a call, and continues', async () => {
    const operator = await connected(era)
    await expect(operator.callTool({ name: 'delete_agent', arguments: {} })).rejects.toThrow(
      /delete_agent not found/,
    )
    const wrong = [
      ['get_agent', {}],
      ['get_agent', { agentId: 'agt_1' }],
      ['list_agents', { limit: 0 }],
      ['list_agents', { limit: 51 }],
      ['list_agents', { status: 'tired' }],
      ['list_agents', { cursor: '../../etc/passwd' }],
      ['list_agents', { userId: "' OR 1=1 --" }],
      ['get_costs', { by: 'mood' }],
    ] as const
    for (const [name, args] of wrong)
      expect(await operator.callTool({ name, arguments: args })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining(name) }],
      })
    expect(await operator.callTool({ name: 'list_queues', arguments: {} })).toMatchObject({
      structuredContent: { queues: expect.any(Array) },
    })
  })
})

const discover = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_agents', arguments: {} },
}

async function send(
  headers: Record<string, string>,
  body: unknown = discover,
  method = 'POST',
): Promise<[number, unknown]> {
  const answer = await fetch(url(), {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return [answer.status, text.startsWith('{') ? JSON.parse(text) : text]
}

const asOperator = () => ({ authorization: `Bearer ${stack().internalKey}` })
const refused = { error: expect.any(String) }

const rpcError = (code: number) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message: expect.any(String) },
})

describe('a caller', () => {
  it('a caller without the platform’s key gets no data', async () => {
    expect(await send({})).toEqual([401, refused])
    expect(await send({ authorization: `Basic ${stack().internalKey}` })).toEqual([401, refused])
    expect(await send({ authorization: 'Bearer wrong' })).toEqual([403, refused])
    expect(await send(user.session)).toEqual([401, refused])
  })

  it('a caller with a user’s key is rejected, even if the user owns agents', async () => {
    const keys = `${stack().web}/api/keys`
    const { body } = await call(keys, {
      headers: user.session,
      body: { name: 'ops', scopes: ['admin'] },
    })
    expect(body.key).toMatch(/^sk_/)
    expect(await send({ authorization: `Bearer ${String(body.key)}` })).toEqual([403, refused])
  })

  it('a caller that acts for a user is not an operator', async () => {
    expect(await send({ ...asOperator(), 'x-user-id': user.id })).toEqual([403, refused])
    for (const id of ['', '../x'])
      expect(await send({ ...asOperator(), 'x-user-id': id })).toEqual([400, rpcError(-32600)])
  })

  it('a caller that sends an invalid message gets an error', async () => {
    expect(await send(asOperator(), '{"jsonrpc":')).toEqual([400, rpcError(-32700)])
    expect(await send(asOperator(), [discover, discover])).toEqual([400, rpcError(-32600)])
    expect(await send(asOperator(), JSON.stringify({ a: 'b'.repeat(1_048_576) }))).toEqual([
      413,
      refused,
    ])
    const [status, answer] = await send(asOperator(), { hello: 'there' })
    expect([status, answer]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ code: expect.any(Number) }) }),
    ])
  })

  it('cannot open a stream or end a session, which the server does not support', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(url(), { method, headers: asOperator() })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })

  it('does not wait for changes that never happen', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const [, answer] = await send(
      {
        ...asOperator(),
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { _meta: meta, notifications: { toolsListChanged: true } },
      },
    )
    expect(JSON.stringify(answer)).toContain('Subscription limit reached')
  })
})
