import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatewayProcess, Home } from '../../../agent/gateway/testing/gateway.ts'
import { say, Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { sessionIdentity } from '../../../shared/accounts/identity.ts'
import type { Agent } from '../../../shared/agents/agent.ts'
import { gatewayToken } from '../../../shared/agents/secrets.ts'
import { createApp } from '../../../shared/http/app.ts'
import { loadConfig } from '../../../shared/platform/config/load.ts'
import { keepMessage } from '../../../shared/chat/message.ts'
import { newId, newSeed } from '../../../shared/platform/ids.ts'
import { userStore } from '../../../shared/platform/table/user-store.ts'
import { type Accounts, startAccounts } from '../../../tests/support/accounts.ts'
import { chatCaller, encryptionKey, putAgent } from '../../../tests/support/chat.ts'
import { routes as runtimeRoutes } from '../../backend/runtime/index.ts'
import { routes as agentRoutes } from '../agents/index.ts'
import { routes } from './index.ts'

const internalKey = 'the-internal-key'

let accounts: Accounts
let home: Home
let models: Upstream
let gateway: GatewayProcess
let ada: { id: string; session: string }
let eve: { id: string; session: string }
let agent: Agent
let web: { request(path: string, init: RequestInit): Response | Promise<Response> }
let backend: typeof web
let chat: ReturnType<typeof chatCaller>

beforeAll(async () => {
  accounts = await startAccounts()
  ada = await accounts.signUp('ada@b.co')
  eve = await accounts.signUp('eve@b.co')
  home = await Home.make()
  models = await Upstream.start()
  models.reply = (response) => say(response, 'Fine, thanks.')
  const id = newId('agent')
  gateway = await GatewayProcess.start(
    home.environment(models.baseUrl, { GATEWAY_TOKEN: await gatewayToken(encryptionKey, id, 1) }),
  )
  const address = { host: '127.0.0.1', port: Number(new URL(gateway.url).port) }
  agent = await putAgent(accounts.table, ada.id, { id, address, image: 'agent:2.1' })
  const { table } = accounts
  const queues = { send: unused, sendAll: unused }
  const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })
  web = createApp({
    surface: 'web',
    name: 'web-instances',
    routes: [...routes, ...agentRoutes],
    services: { table, queues, config },
    settings: { WEB_URL: 'http://localhost:3000', RATE_LIMITS: 'off' },
    identity: { session: sessionIdentity(table, []) },
    table,
  })
  backend = createApp({
    surface: 'backend',
    name: 'backend-runtime',
    routes: runtimeRoutes,
    services: { table, image: 'registry.example/agent:2.2', encryptionKey },
    settings: { INTERNAL_API_KEY: internalKey, RATE_LIMITS: 'off' },
    table,
  })
  chat = chatCaller(table)
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await models[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
  await accounts.close()
})

const unused = () => Promise.reject(new Error('figures send nothing'))

async function get(path: string, session = ada.session) {
  const answer = await web.request(path, { headers: { cookie: `service-session=${session}` } })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

async function internal(path: string, userId?: string) {
  const answer = await backend.request(path, {
    headers: {
      authorization: `Bearer ${internalKey}`,
      ...(userId !== undefined && { 'x-user-id': userId }),
    },
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const say1 = (message: string) =>
  chat('POST', '/api/chat', { body: { message, agentId: agent.id }, session: ada.session })

const someNumber = expect.any(Number)
const nothing = { cpu: null, memory: null, memoryPercent: null, uptimeMs: null }

describe('the figures of an agent', () => {
  it('come from its container and from what it was asked', async () => {
    await (await say1('How are you?')).json()
    await (await say1('And now?')).json()
    const { status, body } = await get(`/api/agents/${agent.id}/stats`)
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'ok',
      stats: {
        agentId: agent.id,
        status: 'running',
        cpu: someNumber,
        memory: someNumber,
        memoryPercent: someNumber,
        uptimeMs: someNumber,
        messagesProcessed: 2,
        averageResponseMs: null,
        successRate: null,
        errorRate: null,
      },
    })
    const { memory, memoryPercent } = body.stats as Record<string, number>
    expect(memory).toBeGreaterThan(20_000_000)
    // Its plan is solo, with 2 GB.
    expect(memoryPercent).toBeCloseTo((Number(memory) / 2 ** 31) * 100, 1)
  })

  it('count its answers and its failures', async () => {
    const before = (await get(`/api/instance/${agent.id}/stats`)).body
    models.reply = (response) => void response.writeHead(500).end('{}')
    await (await say1('Once more?')).json()
    models.reply = (response) => say(response, 'Fine, thanks.')
    const { body } = await get(`/api/instance/${agent.id}/stats`)
    expect(body).toEqual({
      userId: ada.id,
      agentId: agent.id,
      status: 'running',
      health: 'healthy',
      cpu: someNumber,
      memory: someNumber,
      uptimeMs: someNumber,
      messages: Number(before.messages) + 1,
      errors: Number(before.errors) + 1,
      runtimeVersion: '2.1',
    })
  })

  it('are unknown while it does not run', async () => {
    const stopped = await putAgent(accounts.table, ada.id, { status: 'stopped' })
    expect((await get(`/api/agents/${stopped.id}/stats`)).body.stats).toEqual({
      ...nothing,
      agentId: stopped.id,
      status: 'stopped',
      messagesProcessed: null,
      averageResponseMs: null,
      successRate: null,
      errorRate: null,
    })
    const { body } = await get(`/api/instance/${stopped.id}/stats`)
    expect(body).toMatchObject({ health: 'stopped', cpu: null, messages: null })
  })

  it.each([
    ['nonsense', '{"cpuPercent":"all of it","memoryBytes":-5,"pids":{}}'],
    ['no JSON', 'fine'],
    ['a list', '[1,2]'],
    ['an error', undefined],
  ])('are unknown where it answers %s', async (_, text) => {
    const server = createServer((_request, response) => {
      response.statusCode = text === undefined ? 500 : 200
      response.end(text)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const odd = await putAgent(accounts.table, ada.id, { address: { host: '127.0.0.1', port } })
    const { status, body } = await internal(`/api/runtime/instances/${odd.id}/stats`)
    server.close()
    expect(status).toBe(200)
    expect(body).toEqual({
      ...nothing,
      agentId: odd.id,
      network: null,
      pids: null,
      status: 'active',
      timestamp: expect.any(String),
    })
  })

  it('are unknown where nobody is there, or nobody answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const mute = await putAgent(accounts.table, ada.id, { address: { host: '127.0.0.1', port } })
    expect((await get(`/api/instance/${mute.id}/stats`)).body).toMatchObject({ cpu: null })
    silent.closeAllConnections()
    silent.close()
    await once(silent, 'close')
    expect((await get(`/api/instance/${mute.id}/stats`)).body).toMatchObject({ cpu: null })
  })
})

describe('an instance', () => {
  it('is shown to its owner', async () => {
    expect((await get(`/api/instance/${agent.id}`)).body).toEqual({
      userId: ada.id,
      agentId: agent.id,
      status: 'running',
      startedAt: null,
      subdomain: agent.subdomain,
      url: expect.stringContaining(agent.subdomain),
      plan: 'solo',
      runtimeVersion: '2.1',
    })
  })

  it.each([
    '/api/agents/:id/stats',
    '/api/agents/:id/messages',
    '/api/instance/:id',
    '/api/instance/:id/stats',
  ])('of somebody else is as if it were not there: %s', async (path) => {
    expect((await get(path.replace(':id', agent.id), eve.session)).status).toBe(404)
  })
})

describe('messages', () => {
  it('come by the page, the newest first, with their number', async () => {
    const talker = await putAgent(accounts.table, ada.id, {
      address: agent.address,
      id: newId('agent'),
    })
    for (const [i, sender] of (['user', 'agent', 'user', 'agent', 'user'] as const).entries())
      await keep(talker, sender, i + 1, `message ${i + 1}`)
    const page = async (query: string) =>
      (await get(`/api/agents/${talker.id}/messages${query}`)).body
    expect(await page('?limit=2&offset=1')).toEqual({
      messages: [message(talker, 'agent', 4), message(talker, 'user', 3)],
      total: 5,
      limit: 2,
      offset: 1,
      status: 'ok',
    })
    expect(await page('')).toMatchObject({ limit: 50, offset: 0, total: 5 })
    expect((await page('')).messages).toHaveLength(5)
    expect(await page('?limit=5000&offset=99')).toMatchObject({ messages: [], limit: 100 })
  })

  it('are found behind many that are long', async () => {
    const talker = await putAgent(accounts.table, ada.id, { address: agent.address })
    const long = 'x'.repeat(100_000)
    for (let i = 1; i <= 25; i++) await keep(talker, 'user', i, `message ${i} ${long}`)
    const query = '?limit=3&offset=20'
    const { body } = await get(`/api/agents/${talker.id}/messages${query}`)
    const shown = (body.messages as { content: string }[]).map(({ content }) => content)
    expect(shown.map((content) => content.slice(0, 9))).toEqual([
      'message 5',
      'message 4',
      'message 3',
    ])
  })

  it.each(['limit=-1', 'limit=x', 'offset=-1', 'offset=1.5'])('refuse %s', async (query) => {
    const { status, body } = await get(`/api/agents/${agent.id}/messages?${query}`)
    expect(status).toBe(400)
    expect(body.error).toContain(query.split('=')[0])
  })
})

function message({ id }: Agent, sender: string, number: number) {
  return {
    id: expect.stringMatching(/^msg_/),
    agentId: id,
    sender,
    content: `message ${number}`,
    timestamp: expect.any(String),
    platform: 'web',
  }
}

/** @param number its place: within one millisecond the order of messages is anybody's guess */
async function keep(
  { id }: Agent,
  sender: 'user' | 'agent',
  number: number,
  content: string,
): Promise<void> {
  const about = { agentId: id, topic: undefined, platform: 'web', content }
  const seed = newSeed(Date.now() + number)
  await keepMessage(userStore(accounts.table, ada.id), { ...about, sender }, seed)
}

describe('the runtime', () => {
  it('says what agents are started from, to anyone', async () => {
    const answer = await backend.request('/api/runtime/version', {})
    expect(await answer.json()).toEqual({
      runtimeVersion: '2.2',
      image: 'registry.example/agent:2.2',
      deployedAt: null,
    })
  })

  it('lists what has a container, to each owner only their own', async () => {
    const hers = await putAgent(accounts.table, eve.id, {
      taskArn: 'task/1',
      taskStatus: 'RUNNING',
    })
    await putAgent(accounts.table, eve.id, { taskArn: 'task/2', taskStatus: 'STOPPED' })
    const { body } = await internal('/api/runtime/instances', eve.id)
    expect(body).toEqual({
      count: 1,
      instances: [
        {
          agentId: hers.id,
          name: hers.name,
          image: 'agent:1',
          status: 'active',
          createdAt: hers.createdAt,
          version: '1',
          metadata: { userId: eve.id, plan: 'solo', generation: 1, startedAt: null },
        },
      ],
    })
    const all = (await internal('/api/runtime/instances')).body.instances
    expect(all).toContainEqual(expect.objectContaining({ agentId: hers.id }))
  })

  it('shows nobody else’s figures to who acts for a user', async () => {
    const path = `/api/runtime/instances/${agent.id}/stats`
    expect((await internal(path, eve.id)).status).toBe(404)
    expect((await internal(path, ada.id)).body).toMatchObject({ cpu: someNumber, pids: 1 })
  })
})
