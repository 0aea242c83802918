import { once } from 'node:events'
import { Agent as HttpAgent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer, WebSocket } from 'ws'
import { endSession } from '#shared/accounts/users/session.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { endWithLeases } from '../../agent/gateway/lease.ts'
import { bearer, type Person, startGate } from '../support/agents/agent-hosts.ts'
import { eventually } from '../support/clock/eventually.ts'

let gate: Awaited<ReturnType<typeof startGate>>
const server = createServer((_, response) => void response.writeHead(200).write('begun'))

beforeAll(async () => {
  gate = await startGate()
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => socket.on('error', () => socket.terminate()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endWithLeases(server, { url: new URL('/api/gate/lease', gate.url), renewEveryMs: 50 })
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await gate.close()
})

type Agent = Awaited<ReturnType<typeof gate.agent>>

interface Credential {
  headers(person: Person, agent: Agent): Promise<Record<string, string>>
  end(person: Person, agent: Agent): Promise<unknown>
}

const credentials: Record<string, Credential> = {
  'browser session': {
    async headers(person, agent) {
      return { cookie: await gate.cookieFor(agent, person.session) }
    },
    end: ({ session }) =>
      endSession(gate, { cookie: session.cookie.replace('service-session=', '') }),
  },
  'API key': {
    headers: async ({ key }) => bearer(key),
    end: async ({ id, key }) =>
      gate.table.delete({ pk: `user#${id}`, sk: `key#${await sha256Hex(key)}` }),
  },
  'gateway token': {
    headers: async (_, agent) => bearer(await gate.tokenOf(agent)),
    end: (_, agent) =>
      changeAgent(gate, {
        agent,
        decide: (row) => ({ ...row, tokenVersion: row.tokenVersion + 1 }),
      }),
  },
}

/** Returns the lease that the deployed router adds to a request. */
async function leaseOf(agent: Agent, headers: Record<string, string>): Promise<string> {
  const answer = await gate.ask(gate.hostOf(agent), { ...headers, 'x-router-hold': '900' })
  expect(answer.status).toBe(200)
  return answer.headers.get('x-agent-lease') ?? ''
}

it.each(Object.keys(credentials))('a WebSocket and a response end with the %s', async (name) => {
  const { headers, end } = credentials[name]!
  const person = await gate.person()
  const agent = await gate.agent(person.id, { address: { host: '127.0.0.1', port: 1 } })
  const { port } = server.address() as AddressInfo
  const other = await gate.person()
  const others = await gate.agent(other.id, { address: { host: '127.0.0.1', port: 1 } })
  const open = async (lease: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, {
      headers: { 'platform-lease': lease },
    })
    await once(socket, 'open')
    return socket
  }
  const mine = await open(await leaseOf(agent, await headers(person, agent)))
  const theirs = await open(await leaseOf(others, bearer(other.key)))
  const lease = await leaseOf(agent, await headers(person, agent))
  const call = request({ port, headers: { 'platform-lease': lease } }).end()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  const cut = new Promise((resolve) => answer.on('error', () => {}).once('close', resolve))
  answer.resume()

  const closed = once(mine, 'close')
  await end(person, agent)
  await Promise.all([closed, cut])
  expect(theirs.readyState).toBe(theirs.OPEN)
  theirs.terminate()
})

it('a lease is issued to a router that sends the duration of a connection, and grants no access', async () => {
  const person = await gate.person()
  const agent = await gate.agent(person.id, { address: { host: '127.0.0.1', port: 1 } })
  const withKey = bearer(person.key)
  const without = await gate.ask(gate.hostOf(agent), withKey)
  expect(without.headers.has('x-agent-lease')).toBe(false)
  const lease = await leaseOf(agent, withKey)
  for (const headers of [bearer(lease), { cookie: `agent-access=${lease}` }])
    expect((await gate.ask(gate.hostOf(agent), headers)).status).toBe(401)
})

it.each(['', 'x', 'e30.x', 'e30.'])('a forged lease %j is rejected', async (lease) => {
  const answer = await fetch(`${gate.url}/api/gate/lease`, { headers: { 'platform-lease': lease } })
  expect(answer.status).toBe(401)
})

/** Starts a platform that answers checks with `statuses`, and an agent whose responses end with `end`. */
async function startChecked(statuses: (path: string) => Promise<number>) {
  const answers = new Map<string, { end(): void }>()
  const platform = createServer(({ headers }, response) => {
    void statuses(String(headers['platform-lease'])).then((status) =>
      response.writeHead(status).end(),
    )
  })
  const agent = createServer(({ url = '' }, response) => {
    response.writeHead(200).write('begun')
    answers.set(url, response)
  })
  const keepAlive = new HttpAgent({ keepAlive: true, maxSockets: 1 })
  for (const each of [platform, agent]) {
    each.listen(0, '127.0.0.1')
    await once(each, 'listening')
    onTestFinished(() => {
      each.closeAllConnections()
      each.close()
    })
  }
  onTestFinished(() => keepAlive.destroy())
  const portOf = (each: typeof agent) => (each.address() as AddressInfo).port
  const url = new URL(`http://127.0.0.1:${portOf(platform)}/`)
  endWithLeases(agent, { url, renewEveryMs: 20 })
  const ask = async (
    path: string,
    { lease, shared = true }: { lease?: string; shared?: boolean },
  ) => {
    const headers = lease === undefined ? {} : { 'platform-lease': lease }
    const input = { port: portOf(agent), path, headers, agent: shared ? keepAlive : false } as const
    const [answer] = (await once(request(input).end(), 'response')) as [IncomingMessage]
    return answer
  }
  return { ask, end: (path: string) => answers.get(path)?.end() }
}

it('a check that ends after its response does not end the next response on the same socket', async () => {
  const late = Promise.withResolvers<number>()
  let checks = 0
  const on = await startChecked((lease) => {
    checks++
    return lease === 'late' ? late.promise : Promise.resolve(401)
  })
  const first = await on.ask('/first', { lease: 'late' })
  await eventually(() => expect(checks).toBeGreaterThan(0))
  on.end('/first')
  expect(await text(first)).toBe('begun')
  const next = await on.ask('/next', {})
  const whole = text(next).catch(String)
  late.resolve(401)
  // The check of another response, which is refused later, has ended it.
  const other = await on.ask('/other', { lease: 'refused', shared: false })
  await expect(text(other)).rejects.toThrow('aborted')
  on.end('/next')
  expect(await whole).toBe('begun')
})

it('a platform of an earlier release, without this check, ends no response', async () => {
  let checks = 0
  const on = await startChecked(async () => {
    checks++
    return 404
  })
  const whole = text(await on.ask('/', { lease: 'new' })).catch(String)
  await eventually(() => expect(checks).toBeGreaterThan(2))
  on.end('/')
  expect(await whole).toBe('begun')
})
