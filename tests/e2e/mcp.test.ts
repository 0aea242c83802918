import type { Client } from '@modelcontextprotocol/client'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectClient, eras } from '../support/http/mcp-client.ts'
import { namesOf as names, use } from '../support/programs/mcp-client.ts'
import {
  call,
  keyOf,
  newSubscriber,
  newUser,
  runningAgent,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'

const url = (query = '') => `${stack().web}/mcp${query}`

let user: TestUser
let agentId: string
let key: string
let client: Client | undefined

beforeAll(async () => {
  user = await newSubscriber('collective')
  agentId = await runningAgent(user)
  key = await keyOf(user)
})
afterEach(async () => {
  await client?.close()
  client = undefined
})

async function connected(
  bearer = key,
  { query = '', era }: { query?: string; era?: (typeof eras)[number] } = {},
): Promise<Client> {
  client = await connectClient(url(query), bearer, era === undefined ? {} : { era })
  return client
}

const readers = [
  'estimate_cost',
  'get_agent',
  'get_usage',
  'list_agents',
  'list_approvals',
  'list_files',
  'list_models',
  'read_file',
  'read_logs',
  'read_messages',
  'search_memory',
]
const writers = [
  'control_agent',
  'create_agent',
  'delete_agent',
  'manage_schedules',
  'manage_skills',
  'run_swarm',
  'send_message',
  'update_agent',
  'write_file',
  'write_memory',
]

describe.each(eras)('a client of the protocol of %s', (era) => {
  it('lists twenty-one tools with descriptions for a model', async () => {
    const { tools } = await (await connected(key, { era })).listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual([...readers, ...writers].toSorted())
    for (const { name, annotations, description, inputSchema, outputSchema } of tools) {
      expect([name, annotations?.readOnlyHint]).toEqual([name, readers.includes(name)])
      expect(annotations?.destructiveHint).toEqual(expect.any(Boolean))
      expect(description).toMatch(/\w/)
      expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    }
    expect(JSON.stringify(tools).length).toBeLessThan(12 * 1024)
  })

  it('uses an agent, by its id or its name', async () => {
    const by = await connected(key, { era })
    const { agents } = await use(by, 'list_agents')
    expect(agents).toEqual([expect.objectContaining({ id: agentId, status: 'running' })])
    const [{ name = '' } = {}] = agents as { name: string }[]
    expect(await use(by, 'get_agent', { agent: name })).toMatchObject({ agent: { id: agentId } })
    const message = await use(by, 'send_message', { agent: name, message: 'hello there' })
    expect(message).toMatchObject({ agentId, reply: expect.any(String) })
    const { messages } = await use(by, 'read_messages', { agent: agentId })
    expect(JSON.stringify(messages)).toContain('hello there')
    await use(by, 'write_memory', { agent: agentId, key: era, text: 'likes tea' })
    expect(await use(by, 'search_memory', { agent: agentId, query: 'TEA likes' })).toMatchObject({
      notes: { [era]: 'likes tea' },
    })
    const file = { agent: agentId, path: `lists/${era}.md` }
    await use(by, 'write_file', { ...file, content: '- tea\n' })
    expect(await use(by, 'list_files', { agent: name, path: 'lists' })).toMatchObject({
      entries: expect.arrayContaining([expect.objectContaining({ path: file.path, size: 6 })]),
    })
    expect(await use(by, 'read_file', file)).toMatchObject({ text: '- tea\n', isCut: false })
    const { models } = await use(by, 'list_models')
    expect(models).not.toEqual([])
    expect(await use(by, 'get_usage', { days: 7 })).toMatchObject({ data: expect.any(Array) })
    expect(await use(by, 'manage_skills', { action: 'list' })).toHaveProperty('skills')
    expect(await use(by, 'manage_schedules', { action: 'list' })).toHaveProperty('tasks')
  })

  it('gets the API’s errors in words, and continues', async () => {
    const by = await connected(key, { era })
    const refused = [
      ['get_agent', { agent: 'nobody' }, /No agent has the name or id nobody/],
      ['get_agent', { agent: `agt_${'0'.repeat(26)}` }, /not found/],
      ['control_agent', { agent: agentId, action: 'explode' }, /control_agent/],
      ['send_message', { agent: agentId }, /send_message/],
      ['manage_schedules', { action: 'delete' }, /task is required/],
      ['run_swarm', { swarm: 'none', prompt: 'hi' }, /No swarm has the name or id none/],
    ] as const
    for (const [name, args, words] of refused)
      expect(await by.callTool({ name, arguments: args })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(words) }],
      })
    expect(await use(by, 'list_agents')).toHaveProperty('agents')
  })
})

describe('the tools of a caller', () => {
  it('only read if it requests so or may not write', async () => {
    expect(await names(await connected(key, { query: '?read_only=1' }))).toEqual(readers)
    const reading = await keyOf(user, ['read'])
    const by = await connected(reading)
    expect(await names(by)).toEqual(readers)
    await expect(by.callTool({ name: 'delete_agent', arguments: {} })).rejects.toThrow(/not found/)
  })

  it('list only its own agents', async () => {
    const stranger = await newUser()
    const by = await connected(await keyOf(stranger))
    expect(await use(by, 'list_agents')).toMatchObject({ agents: [] })
    for (const name of ['get_agent', 'delete_agent', 'read_messages', 'search_memory'])
      expect(await by.callTool({ name, arguments: { agent: agentId } })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/not found/i) }],
      })
    const mine = await connected()
    expect(await use(mine, 'get_agent', { agent: agentId })).toMatchObject({
      agent: { id: agentId },
    })
  })
})

describe('a caller', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

  async function send(headers: Record<string, string>, body: unknown = list) {
    return fetch(url(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }

  it.each([
    ['nothing', {}],
    ['a session', 'session'],
    ['a wrong key', { authorization: `Bearer sk_${'0'.repeat(64)}` }],
    ['a wrong token', { authorization: `Bearer at_${'0'.repeat(96)}` }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['the platform’s own key', 'internal'],
  ])('a caller with %s gets the address of the sign-in', async (_, given) => {
    const headers =
      given === 'session'
        ? user.session
        : given === 'internal'
          ? { authorization: `Bearer ${stack().internalKey}` }
          : (given as Record<string, string>)
    const answer = await send(headers)
    expect([answer.status, await answer.json()]).toEqual([401, { error: expect.any(String) }])
    const challenge = answer.headers.get('www-authenticate') ?? ''
    const [, metadata = ''] = /^Bearer resource_metadata="([^"]+)"/.exec(challenge) ?? []
    const { body } = await call(metadata)
    expect(body).toMatchObject({ resource: expect.stringMatching(/\/mcp$/) })
  })

  it('a caller that sends an invalid message gets an error', async () => {
    const authorization = `Bearer ${key}`
    for (const body of ['{"jsonrpc":', [list, list], { hello: 'there' }])
      expect((await send({ authorization }, body)).status).toBe(400)
    const large = await send({ authorization }, { a: 'b'.repeat(1_048_576) })
    expect(large.status).toBe(413)
  })

  it('cannot open a stream or end a session, which the server does not support', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(url(), { method, headers: { authorization: `Bearer ${key}` } })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })
})

describe('a program with granted access', () => {
  it('uses the tools by its access token until it is revoked', async () => {
    const form = async (path: string, fields: Record<string, string>) => {
      const answer = await fetch(stack().web + path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      })
      return (await answer.json()) as Record<string, string>
    }
    const registered = await call(`${stack().web}/oauth/register`, { body: { client_name: 'CLI' } })
    const client_id = String(registered.body.client_id)
    const device = await form('/oauth/device_authorization', { client_id, scope: 'read' })
    const decision = { userCode: device.user_code, approve: true }
    await call(`${stack().web}/oauth/device`, { headers: user.session, body: decision })
    const tokens = await form('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id,
      device_code: device.device_code ?? '',
    })
    const token = tokens.access_token ?? ''
    expect(await names(await connected(token))).toEqual(readers)
    const models = () =>
      call(`${stack().backend}/v1/models`, { headers: { authorization: `Bearer ${token}` } })
    expect((await models()).status).toBe(200)
    await form('/oauth/revoke', { token, client_id })
    await expect(connected(token)).rejects.toThrow(/401|Unauthorized|required/)
    expect((await models()).status).toBe(401)
  })
})
