import type { LookupFunction } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import type { Resolve } from '#shared/platform/http-client/guarded.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { brokerCredentialRows } from '#shared/tools/broker/rows.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { startTlsServer } from '#tests/support/http/tls-server.ts'
import { agentWithKey, brokerOver, trust } from '#tests/support/tools/broker.ts'

const value = 'a-value-of-hers'

let accounts: Keys
let server: Awaited<ReturnType<typeof startTlsServer>>
let requestCount = 0
let host: string
let broker: ReturnType<typeof brokerOver>
let ada: { id: string; session: string }
let agent: Awaited<ReturnType<typeof agentWithKey>>
let users = 0

/** The addresses that names resolve to, in order. */
let addresses: string[][] = []
let resolved = 0
const resolve: Resolve = (_name, _options, callback) => {
  const now = addresses[Math.min(resolved++, addresses.length - 1)] ?? []
  callback(
    null,
    now.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  )
}

beforeAll(async () => {
  accounts = await startKeys()
  server = await startTlsServer(
    (_, response) => {
      requestCount++
      response.end('here')
    },
    ['localhost', 'rebound.example.com'],
  )
  trust(server.cert)
  host = `localhost:${server.port}`
  broker = brokerOver(accounts.table, { allowed: [host], resolve })
})
afterAll(async () => {
  await server.close()
  await accounts.close()
})
beforeEach(async () => {
  requestCount = 0
  resolved = 0
  ada = await accounts.signUp(`ada${users++}@b.co`)
  agent = await agentWithKey(accounts.table, ada.id)
  await broker.keep(ada.session, agent.agentId, { hosts: [host, 'rebound.example.com'], value })
})

async function ask(path: string, key = agent.key) {
  const answer = await broker.ask(key, path)
  return { status: answer.status, text: await answer.text() }
}

describe('a host', () => {
  it.each([
    'elsewhere.example.com',
    'LOCALHOST',
    'localhost',
    'localhost:1',
    'rebound.example.com:8443',
    'rebound.example.com.',
    'user@rebound.example.com',
    'rebound.example.com%2f@elsewhere.example.com',
    'rebound.example.com%00',
    '127.0.0.1',
    '[::1]',
  ])('outside of the credential’s hosts, %s, is rejected', async (other) => {
    const { status, text } = await ask(`/api/${other}/x`)
    expect([status, JSON.parse(text)]).toMatchObject([403, { code: 'BROKER_HOST_REFUSED' }])
    expect(text).not.toContain(value)
    expect([requestCount, resolved]).toEqual([0, 0])
    expect(await broker.requests(ada.session, agent.agentId)).toEqual([])
  })

  it.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['93.184.215.14', '127.0.0.1']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['fd12:3456::1']],
  ])('a host that resolves to %j is rejected', async (found) => {
    addresses = [found]
    const { status, text } = await ask('/api/rebound.example.com/x')
    expect([status, JSON.parse(text)]).toMatchObject([403, { code: 'BROKER_HOST_REFUSED' }])
    expect(requestCount).toBe(0)
  })

  it('is resolved once, by the connection, so that a later DNS answer has no effect', async () => {
    const rebound = `rebound.example.com:${server.port}`
    const hasty = brokerOver(accounts.table, { resolve, idleMs: 300 })
    await hasty.keep(ada.session, agent.agentId, { name: 'rebound', hosts: [rebound], value })
    addresses = [['93.184.215.14'], ['127.0.0.1']]
    const answer = await hasty.ask(agent.key, `/rebound/${rebound}/`)
    expect([502, 504]).toContain(answer.status)
    expect([requestCount, resolved]).toEqual([0, 1])
  })

  it('is reached only over connections whose address was checked', async () => {
    const own = { protocol: 'https:', hostname: 'localhost', port: server.port, path: '/' }
    const timeouts = { totalMs: 60_000 }
    await (await sendRequest({ target: own, timeouts, pooled: true })).whole()
    const lookup: LookupFunction = (_name, _options, callback) => callback(new AddressRefused(), [])
    await expect(
      sendRequest({ target: { ...own, lookup }, timeouts, pooled: true }),
    ).rejects.toBeInstanceOf(AddressRefused)
    expect(requestCount).toBe(1)
  })

  it('a host that was changed in the row opens no credential', async () => {
    const store = userStore(accounts.table, ada.id)
    const sk = brokerCredentialRows.sk({ agentId: agent.agentId })
    const row = brokerCredentialRows.parse((await store.get(sk))!)
    for (const change of [{ hosts: [host] }, { header: 'x-mine: {value}' }]) {
      const api = { ...row.credentials.api!, ...change }
      await store.put(sk, brokerCredentialRows.attributes({ ...row, credentials: { api } }))
      expect((await ask(`/api/${host}/`)).status).toBe(409)
    }
    expect(requestCount).toBe(0)
  })
})

describe('a credential name', () => {
  it.each(['other', 'API', 'constructor', '__proto__', 'hasOwnProperty', '%61pi'])(
    'a credential name that the agent does not have, %s, is not found',
    async (name) => {
      expect((await ask(`/${name}/${host}/`)).status).toBe(404)
      expect(requestCount).toBe(0)
    },
  )

  it('the name of a credential of another user’s agent, or of another agent of the same user, is not found', async () => {
    const eve = await accounts.signUp(`eve${users++}@b.co`)
    const hers = await agentWithKey(accounts.table, eve.id)
    const second = await agentWithKey(accounts.table, ada.id)
    for (const { key } of [hers, second]) expect((await ask(`/api/${host}/`, key)).status).toBe(404)
    // A key contains ids, but only its row decides what it belongs to.
    const forged = hers.key.replace(hers.agentId, agent.agentId).replace(eve.id, ada.id)
    expect((await ask(`/api/${host}/`, forged)).status).toBe(401)
    expect(requestCount).toBe(0)
  })
})

describe('a key', () => {
  it('a key of a stopped agent is rejected', async () => {
    await agent.revoke()
    expect((await ask(`/api/${host}/`)).status).toBe(401)
    expect(requestCount).toBe(0)
  })

  it('a key of a deleted agent, or one being deleted, is rejected', async () => {
    const { table } = accounts
    const ref = { userId: ada.id, agentId: agent.agentId }
    await changeAgent({ table } as never, {
      agent: (await readAgent(table, ref))!,
      decide: (current) => ({ ...current, deleting: true }),
    })
    expect((await ask(`/api/${host}/`)).status).toBe(401)
    await userStore(table, ada.id).delete(`agent#${agent.agentId}`)
    expect((await ask(`/api/${host}/`)).status).toBe(401)
    expect(requestCount).toBe(0)
  })

  it('a key of a user or of the platform is rejected', async () => {
    const { key } = await accounts.newKey(ada.session)
    for (const wrong of [key, 'ak_x', `${agent.key}x`, 'x'])
      expect((await ask(`/api/${host}/`, wrong)).status).toBe(401)
    expect(requestCount).toBe(0)
  })
})

it('lists the names and hosts of an agent’s own credentials, and no value', async () => {
  const { status, text } = await ask('')
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      credentials: [
        { name: 'api', hosts: [host, 'rebound.example.com'], createdAt: expect.any(String) },
      ],
    },
  ])
  expect(text).not.toContain(value)
})
