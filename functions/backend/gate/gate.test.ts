import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  domain,
  type Person,
  routerSecret,
  startGate,
  type TestGate,
} from '../../../tests/support/agent-hosts.ts'
import { endSession } from '../../../shared/accounts/session.ts'
import { endSessions } from '../../../shared/accounts/end-sessions.ts'
import { type Agent, subdomainKey } from '../../../shared/agents/agent.ts'
import { changeAgent } from '../../../shared/agents/change.ts'
import { deleteAgent } from '../../../shared/agents/delete.ts'
import { readAgent } from '../../../shared/agents/find.ts'
import { deleteAllKeys } from '../../../shared/keys/delete-all.ts'

let gate: TestGate
let owner: Person
let stranger: Person
let agent: Agent
let host: string

beforeAll(async () => {
  gate = await startGate()
  ;[owner, stranger] = await Promise.all([gate.person(), gate.person()])
  agent = await gate.agent(owner.id)
  host = gate.hostOf(agent)
})
afterAll(() => gate.close())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The link's path and query. */
async function ticketFor(person: Person, of = agent): Promise<string> {
  const { status, body } = await gate.askForTicket(of.id, person.session)
  expect(status).toBe(200)
  const { pathname, search } = new URL(body.url ?? '')
  return pathname + search
}

const redeem = (path: string, at = host, method = 'GET') =>
  gate.ask(at, { 'x-forwarded-uri': path, 'x-forwarded-method': method })

/** The cookie that a browser sends after it came by a ticket. */
async function cookieOf(person: Person, of = agent): Promise<string> {
  const answer = await redeem(await ticketFor(person, of), gate.hostOf(of))
  expect(answer.status).toBe(303)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

const statusOf = async (headers: Record<string, string>, at = host) =>
  (await gate.ask(at, headers)).status

describe('the gate', () => {
  it('answers only the router', async () => {
    for (const secret of ['', 'wrong', routerSecret.slice(1), owner.key])
      expect(await statusOf({ ...bearer(owner.key), 'x-router-secret': secret })).toBe(401)
  })

  it('says where the agent is and what opens it', async () => {
    const answer = await gate.ask(host, {
      ...bearer(owner.key),
      cookie: 'a=1; service-session=x; b=2',
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-agent-upstream')).toBe('127.0.0.1:9')
    const token = await gate.tokenOf(agent)
    expect(answer.headers.get('x-agent-authorization')).toBe(`Bearer ${token}`)
    expect(answer.headers.get('x-agent-cookie')).toBe('a=1; b=2')
  })
})

describe('who may pass', () => {
  it('is the owner by key, and the holder of the gateway token', async () => {
    expect(await statusOf(bearer(owner.key))).toBe(200)
    expect(await statusOf(bearer(await gate.tokenOf(agent)))).toBe(200)
    expect(await statusOf({ cookie: await cookieOf(owner) })).toBe(200)
  })

  it('is nobody without a credential, by the platform’s session or by another’s', async () => {
    const other = await gate.agent(stranger.id)
    for (const [headers, status] of [
      [{}, 401],
      [owner.session, 401],
      [bearer('sk_'), 401],
      [bearer(`sk_${'0'.repeat(64)}`), 401],
      [bearer(`ak_${'0'.repeat(64)}`), 401],
      [bearer(routerSecret), 401],
      [{ authorization: `Basic ${btoa(`x:${owner.key}`)}` }, 401],
      [{ authorization: `Bearer ${owner.key}, Bearer ${owner.key}` }, 401],
      [bearer(await gate.tokenOf(other)), 401],
      [bearer(await gate.tokenOf({ ...agent, tokenVersion: 2 })), 401],
      [bearer(stranger.key), 404],
      [{ cookie: await cookieOf(stranger, other) }, 404],
    ] as const)
      expect([headers, await statusOf(headers)]).toEqual([headers, status])
  })

  it('is not decided by a cookie beside a wrong bearer', async () => {
    const cookie = await cookieOf(owner)
    expect(await statusOf({ cookie, ...bearer('wrong') })).toBe(401)
    expect(await statusOf({ cookie, ...bearer(stranger.key) })).toBe(404)
  })

  it('tells a stranger nothing of which hosts there are', async () => {
    const nowhere = `ada-00000000.${domain}`
    for (const headers of [
      {},
      bearer('wrong'),
      bearer(stranger.key),
      { cookie: 'agent-access=x.y' },
    ])
      expect(await statusOf(headers, nowhere)).toBe(await statusOf(headers))
  })

  it('is the platform by the token of its own agent, which has no other owner', async () => {
    const own = await gate.agent(null)
    expect(await statusOf(bearer(await gate.tokenOf(own)), gate.hostOf(own))).toBe(200)
    expect(await statusOf(bearer(owner.key), gate.hostOf(own))).toBe(404)
  })
})

describe('a host', () => {
  it.each([
    ['in upper case', (name: string) => name.toUpperCase(), 200],
    ['with a dot at its end', (name: string) => name.replace(':', '.:'), 404],
    ['without its port', (name: string) => name.replace(/:.*/, ''), 404],
    ['with another port', (name: string) => name.replace('3002', '3000'), 404],
    ['with something behind it', (name: string) => `${name}.evil.example`, 404],
    ['with something before it', (name: string) => `x.${name}`, 404],
    ['with a user in it', (name: string) => `x@${name}`, 404],
    ['that is the domain itself', () => domain, 404],
    ['that is empty', () => '', 404],
    ['with a path in it', (name: string) => `${name}/x`, 404],
  ])('%s', async (_, change, status) => {
    expect(await statusOf(bearer(owner.key), change(host))).toBe(status)
  })
})

describe('an agent', () => {
  it('that does not run is a service that is not there', async () => {
    const stopped = await gate.agent(owner.id, { status: 'stopped', desired: 'stopped' })
    const answer = await gate.ask(gate.hostOf(stopped), bearer(owner.key))
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 'AGENT_NOT_RUNNING', status: 'stopped' })
    expect(answer.headers.get('x-agent-authorization')).toBeNull()
  })

  it('that is deleted is gone, and its link with it', async () => {
    const doomed = await gate.agent(owner.id)
    const at = gate.hostOf(doomed)
    const [cookie, link] = [await cookieOf(owner, doomed), await ticketFor(owner, doomed)]
    await deleteAgent(gate.services, doomed.id, owner.id)
    expect(await gate.table.get(subdomainKey(doomed.subdomain))).toBeUndefined()
    expect(await statusOf(bearer(owner.key), at)).toBe(404)
    expect(await statusOf({ cookie }, at)).toBe(401)
    expect((await redeem(link, at)).status).toBe(404)
  })

  it('from before hosts were looked up is found after its next change', async () => {
    const old = await gate.agent(owner.id, { located: undefined })
    const at = gate.hostOf(old)
    expect(await statusOf({ cookie: await cookieOf(owner, old) }, at)).toBe(200)
    expect(await statusOf(bearer(owner.key), at)).toBe(200)
    const untouched = await gate.agent(owner.id, { located: undefined })
    expect(await statusOf(bearer(owner.key), gate.hostOf(untouched))).toBe(404)
    await changeAgent(gate.table, untouched, (current) => ({ ...current, name: 'Grace' }))
    expect(await statusOf(bearer(owner.key), gate.hostOf(untouched))).toBe(200)
  })

  it('that starts is waited for, and one that takes too long is given up', async () => {
    const starting = await gate.agent(owner.id, { status: 'provisioning', address: undefined })
    const asked = gate.ask(gate.hostOf(starting), bearer(owner.key))
    await changeAgent(gate.table, starting, (current) => ({
      ...current,
      status: 'running',
      address: { host: '127.0.0.1', port: 1234 },
    }))
    expect((await asked).headers.get('x-agent-upstream')).toBe('127.0.0.1:1234')
    const slow = await gate.agent(owner.id, { status: 'provisioning', address: undefined })
    gate.services.patienceMs = 50
    const late = await gate.ask(gate.hostOf(slow), bearer(owner.key))
    gate.services.patienceMs = 5000
    expect(late.status).toBe(504)
    expect(await late.json()).toMatchObject({ code: 'AGENT_TIMEOUT' })
  })

  it('that sleeps is woken by the first request, which waits for it', async () => {
    const asleep = await gate.agent(owner.id, {
      status: 'stopped',
      desired: 'stopped',
      asleep: true,
    })
    const asked = gate.ask(gate.hostOf(asleep), bearer(owner.key))
    const ref = { userId: owner.id, agentId: asleep.id }
    const woken = await vi.waitUntil(async () => {
      const row = await readAgent(gate.table, ref)
      return row?.status === 'provisioning' && row
    })
    const address = { host: '127.0.0.1', port: 4321 }
    await changeAgent(gate.table, woken, (row) => ({ ...row, status: 'running', address }))
    expect((await asked).headers.get('x-agent-upstream')).toBe('127.0.0.1:4321')
    expect((await readAgent(gate.table, ref))?.busyUntil).toBeGreaterThan(Date.now())
  })

  it('that sleeps is not woken by a stranger', async () => {
    const asleep = await gate.agent(owner.id, {
      status: 'stopped',
      desired: 'stopped',
      asleep: true,
    })
    for (const headers of [{}, bearer(stranger.key), owner.session])
      expect(await statusOf(headers, gate.hostOf(asleep))).toBeOneOf([401, 404])
    const row = await readAgent(gate.table, { userId: owner.id, agentId: asleep.id })
    expect(row).toEqual(asleep)
  })
})

describe('a ticket', () => {
  it('is for the owner alone', async () => {
    expect((await gate.askForTicket(agent.id, stranger.session)).status).toBe(404)
    expect((await gate.askForTicket(agent.id, {})).status).toBe(401)
    expect((await gate.askForTicket(`agt_${'0'.repeat(26)}`, owner.session)).status).toBe(404)
    const { status, body } = await gate.askForTicket(agent.id, bearer(owner.key))
    expect(status).toBe(200)
    expect(body.url).toMatch(
      new RegExp(`^http://${host}/\\.well-known/agent-ticket\\?ticket=[\\w-]{43}$`),
    )
    const left = Date.parse(body.expiresAt ?? '') - Date.now()
    expect(left).toBeGreaterThan(55_000)
    expect(left).toBeLessThanOrEqual(60_000)
  })

  it('leads to the agent’s first page with a cookie for its host alone, and leaves no trace', async () => {
    const answer = await redeem(await ticketFor(owner))
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/')
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^agent-access=[\w-]+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/,
      ),
    ])
  })

  it('is good once, however many bring it at once', async () => {
    const link = await ticketFor(owner)
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(link)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([303, ...Array.from({ length: 7 }, () => 401)])
  })

  it('is good at its own host only, and not used up elsewhere', async () => {
    const link = await ticketFor(owner)
    const other = await gate.agent(owner.id)
    expect((await redeem(link, gate.hostOf(other))).status).toBe(401)
    expect((await redeem(link, `ada-00000000.${domain}`)).status).toBe(401)
    expect((await redeem(link)).status).toBe(303)
  })

  it('is over after a minute', async () => {
    const link = await ticketFor(owner)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const { status } = await redeem(link).finally(() => vi.useRealTimers())
    expect(status).toBe(401)
  })

  it('is not taken from anything but the link itself', async () => {
    const link = await ticketFor(owner)
    expect((await redeem(link, host, 'HEAD')).status).toBe(401)
    expect((await redeem(link, host, 'POST')).status).toBe(401)
    expect((await redeem(`/${link}`)).status).toBe(401)
    expect((await redeem(link.replace('ticket=', 'ticket='.concat('x')))).status).toBe(401)
    expect(
      (await redeem(link.replace('?', '?next=https://evil.example&'))).headers.get('location'),
    ).toBe('/')
  })

  it('is not in the table', async () => {
    const link = await ticketFor(owner)
    const secret = new URLSearchParams(link.split('?')[1]).get('ticket') ?? ''
    const rows = await gate.table.query({ pk: `ticket#${secret}` })
    expect(rows.items).toEqual([])
  })
})

describe('an access cookie', () => {
  it('cannot be made, changed or moved', async () => {
    const cookie = await cookieOf(owner)
    const [payload = '', signature = ''] = cookie.replace('agent-access=', '').split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const forge = (more: object) =>
      Buffer.from(JSON.stringify({ ...claims, ...more })).toString('base64url')
    for (const value of [
      '',
      '.',
      payload,
      `${payload}.`,
      `.${signature}`,
      `${payload}.${signature}.x`,
      `${payload}.${'A'.repeat(43)}`,
      `${forge({ expiresAt: 9_999_999_999 })}.${signature}`,
      `${forge({ agentId: 'x' })}.${signature}`,
    ])
      expect([value, await statusOf({ cookie: `agent-access=${value}` })]).toEqual([value, 401])
  })

  it('of the owner’s other agent opens only that one', async () => {
    const other = await gate.agent(owner.id)
    expect(await statusOf({ cookie: await cookieOf(owner, other) })).toBe(404)
  })

  it('is found among those that a neighbour set, unless they are a crowd', async () => {
    const cookie = await cookieOf(owner)
    expect(await statusOf({ cookie: `agent-access=x.y; ${cookie}; agent-access=z` })).toBe(200)
    const crowd = Array.from({ length: 5 }, (_, i) => `agent-access=${i}.x`).join('; ')
    expect(await statusOf({ cookie: `${crowd}; ${cookie}` })).toBe(401)
  })

  it('ends after twelve hours', async () => {
    const cookie = await cookieOf(owner)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * 3_600_000 + 1000 })
    const status = await statusOf({ cookie }).finally(() => vi.useRealTimers())
    expect(status).toBe(401)
  })

  it('ends with the session that asked for it, and so does a ticket', async () => {
    const person = await gate.person()
    const mine = await gate.agent(person.id)
    const at = gate.hostOf(mine)
    const [cookie, link] = [await cookieOf(person, mine), await ticketFor(person, mine)]
    await endSession(gate.table, person.session.cookie.replace('service-session=', ''))
    expect(await statusOf({ cookie }, at)).toBe(401)
    expect((await redeem(link, at)).status).toBe(404)
    expect(await statusOf(bearer(person.key), at)).toBe(200)
  })

  it('ends when every session ends, as a password change does, also where a key asked', async () => {
    const person = await gate.person()
    const mine = await gate.agent(person.id)
    const at = gate.hostOf(mine)
    const { body } = await gate.askForTicket(mine.id, bearer(person.key))
    const { pathname, search } = new URL(body.url ?? '')
    const entered = await redeem(pathname + search, at)
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    expect(await statusOf({ cookie }, at)).toBe(200)
    await endSessions(gate.table, person.id)
    expect(await statusOf({ cookie }, at)).toBe(401)
  })

  it('ends with the key that asked for it', async () => {
    const person = await gate.person()
    const mine = await gate.agent(person.id)
    const { body } = await gate.askForTicket(mine.id, bearer(person.key))
    const { pathname, search } = new URL(body.url ?? '')
    const entered = await redeem(pathname + search, gate.hostOf(mine))
    const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    await deleteAllKeys(gate.table, person.id)
    expect(await statusOf({ cookie }, gate.hostOf(mine))).toBe(401)
  })
})

describe('a request with the cookie from another page', () => {
  const neighbour = { origin: `http://evil-00000000.${domain}`, 'sec-fetch-site': 'same-site' }
  const websocket = { 'x-forwarded-upgrade': 'websocket' }
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

  it.each<[string, Record<string, string>, number]>([
    ['its own page', { origin: '', 'sec-fetch-site': 'same-origin' }, 200],
    ['its own page that changes something', { origin: 'own', 'x-forwarded-method': 'POST' }, 200],
    ['its own page that opens a socket', { origin: 'own', ...websocket }, 200],
    ['a followed link', { 'sec-fetch-site': 'cross-site', ...navigation }, 200],
    ['a typed address', { 'sec-fetch-site': 'none', ...navigation }, 200],
    ['a neighbour that changes something', { ...neighbour, 'x-forwarded-method': 'POST' }, 403],
    ['a neighbour that opens a socket', { ...neighbour, ...websocket }, 403],
    ['an old browser’s foreign socket', { origin: 'https://evil.example', ...websocket }, 403],
    ['a page without origin', { origin: 'null', 'x-forwarded-method': 'POST' }, 403],
    ['its host over TLS', { origin: 'tls', 'x-forwarded-method': 'POST' }, 403],
    [
      'a neighbour’s script tag',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
      403,
    ],
    ['a frame', { 'sec-fetch-site': 'same-site', ...navigation, 'sec-fetch-dest': 'iframe' }, 403],
    [
      'a foreign form',
      { 'sec-fetch-site': 'cross-site', ...navigation, 'x-forwarded-method': 'POST' },
      403,
    ],
  ])('%s', async (_, { origin = '', ...headers }, status) => {
    const origins: Record<string, string> = { own: `http://${host}`, tls: `https://${host}` }
    const cookie = await cookieOf(owner)
    const sent = { ...headers, ...(origin !== '' && { origin: origins[origin] ?? origin }) }
    expect(await statusOf({ ...sent, cookie })).toBe(status)
    // Whoever sends a key means it, wherever they are.
    expect(await statusOf({ ...sent, ...bearer(owner.key) })).toBe(200)
  })
})

describe('deployed', () => {
  it('the cookie can be set by its own host alone, and travels by TLS', async () => {
    const { config } = gate.services
    config.deployed = true
    try {
      const answer = await redeem(await ticketFor(owner))
      const [set = ''] = answer.headers.getSetCookie()
      expect(set).toMatch(/^__Host-agent-access=.*; Path=\/; HttpOnly; .*; Secure$/)
      expect(set).not.toContain('Domain')
      const [cookie = ''] = set.split(';')
      expect(await statusOf({ cookie })).toBe(200)
      expect(await statusOf({ cookie: cookie.replace('__Host-', '') })).toBe(401)
      const passed = await gate.ask(host, { cookie: `${cookie}; a=1`, origin: `https://${host}` })
      expect(passed.headers.get('x-agent-cookie')).toBe('a=1')
    } finally {
      config.deployed = false
    }
  })
})
