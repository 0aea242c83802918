import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type RequestListener,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll } from 'vitest'
import { routes as gateRoutes } from '#functions/backend/gate.ts'
import { routes as agentRoutes } from '#functions/web/agents.ts'
import { createKey } from '#shared/accounts/keys/create.ts'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import { userIdentities } from '#shared/accounts/keys/identity.ts'
import { startSession } from '#shared/accounts/users/session.ts'
import { newUser } from '#shared/accounts/users/user.ts'
import type { GateContext } from '#shared/agents/agent-access/context.ts'
import { type Agent, subdomainItem } from '#shared/agents/record/agent.ts'
import type { AgentContext, AgentSetting } from '#shared/agents/record/context.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { contextOf } from '../platform/context.ts'
import { startTestTable } from '../platform/table.ts'
import { putAgent } from './agent-rows.ts'

export const domain = 'agents.localhost:3002'
export const routerSecret = 'the secret of the router in the tests'
const encryptionKey = 'a key that is long enough for the tests'

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const hostOf = ({ subdomain }: Agent) => `${subdomain}.${domain}`

export interface Person {
  id: string
  session: { cookie: string }
  key: string
}

export interface HostResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface HostRequest {
  method?: string
  path?: string
  headers?: Record<string, string | string[]>
  body?: string
}

/** Sends a request to a local port with any Host header, as a client with its own resolver does. */
export async function say(
  port: number,
  host: string,
  saying: HostRequest = {},
): Promise<HostResponse> {
  const { method = 'GET', path = '/', headers = {}, body } = saying
  const asked = request({ port, method, path, headers: { host, ...headers }, agent: false })
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>
  asked.end(body)
  const [answer] = await answered
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) }
}

/** Starts the gate, and the route that issues tickets, over a table and a socket of their own. */
export async function startGate(overrides: Partial<GateContext> = {}) {
  const { table, close } = await startTestTable()
  const config = loadConfig({
    AGENTS_DOMAIN: domain,
    ROUTER_SECRET: routerSecret,
    WALLET_ENCRYPTION_KEY: encryptionKey,
  })
  const identity = userIdentities(table, [])
  const queues = { send: async () => {}, sendAll: async () => {} }
  const services: GateContext = {
    table,
    queues,
    config,
    webUrl: config.WEB_URL,
    userKey: identity.userKey,
    wakeTimeoutMs: 60_000,
    ...overrides,
  }
  const gate = createApp({
    surface: 'backend',
    name: 'backend-gate',
    routes: gateRoutes,
    services,
    settings: {},
    table,
  })
  const web = createApp<AgentContext & Reads<AgentSetting>>({
    surface: 'web',
    name: 'web-agents',
    routes: agentRoutes.filter(({ name }) => name === 'agents.createTicket'),
    services: { table, queues, config },
    settings: { WEB_URL: 'http://localhost:3000' },
    identity,
  })
  const served = await serve(async (incoming, response) => {
    const headers = new Headers(incoming.headers as Record<string, string>)
    const answer = await gate.request(incoming.url ?? '/', { headers })
    response.writeHead(
      answer.status,
      [
        ...[...answer.headers].filter(([name]) => name !== 'set-cookie'),
        ...answer.headers.getSetCookie().map((cookie) => ['set-cookie', cookie]),
      ].flat(),
    )
    response.end(Buffer.from(await answer.arrayBuffer()))
  })

  // A Lambda function cannot upgrade a connection, so this server destroys the socket.
  served.server.on('upgrade', (_, socket: Socket) => socket.destroy())

  /** Returns the gate's response to the router about a request. */
  async function ask(host: string, headers: Record<string, string> = {}): Promise<Response> {
    return gate.request('/api/gate', {
      headers: {
        'x-router-secret': routerSecret,
        'x-forwarded-host': host,
        'x-forwarded-method': 'GET',
        ...headers,
      },
    })
  }

  /** Requests a ticket, and accepts any response. */
  async function askForTicket(id: string, headers: Record<string, string>) {
    const answer = await web.request(`/api/agents/${id}/ticket`, { method: 'POST', headers })
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }

  /** Returns the path and query of a link that signs a browser in. */
  async function linkFor(agent: Agent, credential: Record<string, string>): Promise<string> {
    const { body } = await askForTicket(agent.id, credential)
    const { pathname, search } = new URL(body.url ?? '')
    return pathname + search
  }

  const follow = (link: string, host: string, method = 'GET') =>
    ask(host, { 'x-forwarded-uri': link, 'x-forwarded-method': method })

  return {
    table,
    services,
    url: served.url,

    ask,

    async person(): Promise<Person> {
      const id = newId('usr')
      const user = newUser({
        id,
        email: `${id}@b.co`,
        name: id,
        referralCode: id,
        plan: 'solo',
        subscription: { id: null, status: 'active', customerId: null },
      })
      await userStore(table, id).put('profile', { ...user })
      const value = await startSession({ table }, { userId: id })
      const who = await identity.session(value)
      if (who === undefined) throw new Error('the session is unknown')
      const { key } = await createKey(
        { ...contextOf(table, who), hashes: keyHashes({ cost: 4 }) },
        { name: 'test' },
      )
      return { id, session: { cookie: `service-session=${value}` }, key }
    },

    /** Inserts an agent as provisioning leaves it, without a container. */
    async agent(userId: string | null, fields: Partial<Agent> = {}): Promise<Agent> {
      const id = newId('agt')
      const agent = await putAgent(table, userId, {
        id,
        subdomain: `ada-${id.slice(-8)}`,
        located: true,
        address: { host: '127.0.0.1', port: 9 },
        ...fields,
      })
      if (agent.located) await table.put(subdomainItem(agent))
      return agent
    },

    /** Returns the agent's current row. */
    async row({ id, userId }: Agent): Promise<Agent> {
      const row = await readAgent(table, { userId, agentId: id })
      if (row === undefined) throw new Error(`${id} is gone`)
      return row
    },

    hostOf,

    tokenOf: ({ id, tokenVersion }: Agent) => gatewayToken(encryptionKey, id, tokenVersion),

    askForTicket,
    linkFor,
    follow,

    /** Returns the cookie of a browser that followed such a link. */
    async cookieFor(agent: Agent, credential: Record<string, string>): Promise<string> {
      const entered = await follow(await linkFor(agent, credential), hostOf(agent))
      if (entered.status !== 303) throw new Error(`the link answers ${entered.status}`)
      return entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    },

    async close() {
      await served.close()
      await close()
    },
  }
}

type TestGate = Awaited<ReturnType<typeof startGate>>

/** Provides a gate for a file of tests, with an agent, its owner, and another user. */
export function useGate() {
  let gate: TestGate
  let owner: Person
  let stranger: Person
  let agent: Agent
  beforeAll(async () => {
    gate = await startGate()
    ;[owner, stranger] = await Promise.all([gate.person(), gate.person()])
    agent = await gate.agent(owner.id)
  })
  afterAll(() => gate.close())
  return {
    get gate() {
      return gate
    },
    get owner() {
      return owner
    },
    get stranger() {
      return stranger
    },
    get agent() {
      return agent
    },
    get host() {
      return gate.hostOf(agent)
    },
  }
}

/** Starts a server on a socket of its own. */
export async function serve(listener: RequestListener) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
