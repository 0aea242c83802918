import { describe, expect, it, vi } from 'vitest'
import { endAccess, endSessions } from '#shared/accounts/users/end-sessions.ts'
import { endSession } from '#shared/accounts/users/session.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { bearer, domain, useGate } from '#tests/support/agents/agent-hosts.ts'
import { eventContext } from '#tests/support/platform/context.ts'

const on = useGate()

const redeem = (link: string, at = on.host, method = 'GET') => on.gate.follow(link, at, method)

const statusOf = async (headers: Record<string, string>, at = on.host) =>
  (await on.gate.ask(at, headers)).status

describe('a ticket', () => {
  it('is issued only to the owner', async () => {
    expect((await on.gate.askForTicket(on.agent.id, on.stranger.session)).status).toBe(404)
    expect((await on.gate.askForTicket(on.agent.id, {})).status).toBe(401)
    expect((await on.gate.askForTicket(`agt_${'0'.repeat(26)}`, on.owner.session)).status).toBe(404)
    const startedAt = Date.now()
    const { status, body } = await on.gate.askForTicket(on.agent.id, bearer(on.owner.key))
    expect(status).toBe(200)
    expect(body.url).toMatch(
      new RegExp(`^http://${on.host}/\\.well-known/agent-ticket\\?ticket=[\\w-]{43}$`),
    )
    const expiresAt = Date.parse(body.expiresAt ?? '')
    expect(expiresAt - startedAt).toBeGreaterThan(59_000)
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(60_000)
  })

  it('opens the agent’s first page with a cookie that applies only to its host, and is removed from the URL', async () => {
    const answer = await redeem(await on.gate.linkFor(on.agent, on.owner.session))
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

  it('is valid once, under concurrent use', async () => {
    const link = await on.gate.linkFor(on.agent, on.owner.session)
    const answers = await Promise.all(Array.from({ length: 8 }, () => redeem(link)))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([303, ...Array.from({ length: 7 }, () => 401)])
  })

  it('is valid at its own host only, and other hosts do not consume it', async () => {
    const link = await on.gate.linkFor(on.agent, on.owner.session)
    const other = await on.gate.agent(on.owner.id)
    expect((await redeem(link, on.gate.hostOf(other))).status).toBe(401)
    expect((await redeem(link, `ada-00000000.${domain}`)).status).toBe(401)
    expect((await redeem(link)).status).toBe(303)
  })

  it('expires after a minute', async () => {
    const link = await on.gate.linkFor(on.agent, on.owner.session)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const { status } = await redeem(link).finally(() => vi.useRealTimers())
    expect(status).toBe(401)
  })

  it('is accepted only from the link itself', async () => {
    const link = await on.gate.linkFor(on.agent, on.owner.session)
    expect((await redeem(link, on.host, 'HEAD')).status).toBe(401)
    expect((await redeem(link, on.host, 'POST')).status).toBe(401)
    expect((await redeem(`/${link}`)).status).toBe(401)
    expect((await redeem(link.replace('ticket=', 'ticket='.concat('x')))).status).toBe(401)
    expect(
      (await redeem(link.replace('?', '?next=https://evil.example&'))).headers.get('location'),
    ).toBe('/')
  })

  it('is not stored in the table', async () => {
    const link = await on.gate.linkFor(on.agent, on.owner.session)
    const secret = new URLSearchParams(link.split('?')[1]).get('ticket') ?? ''
    const rows = await on.gate.table.query({ pk: `ticket#${secret}` })
    expect(rows.items).toEqual([])
  })
})

describe('an access cookie', () => {
  it('cannot be forged, changed or used at another host', async () => {
    const cookie = await on.gate.cookieFor(on.agent, on.owner.session)
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

  it('an access cookie of the owner’s other agent opens only that agent', async () => {
    const other = await on.gate.agent(on.owner.id)
    expect(await statusOf({ cookie: await on.gate.cookieFor(other, on.owner.session) })).toBe(404)
  })

  it('is found among cookies of a neighbour, up to a limit', async () => {
    const cookie = await on.gate.cookieFor(on.agent, on.owner.session)
    expect(await statusOf({ cookie: `agent-access=x.y; ${cookie}; agent-access=z` })).toBe(200)
    const crowd = Array.from({ length: 5 }, (_, i) => `agent-access=${i}.x`).join('; ')
    expect(await statusOf({ cookie: `${crowd}; ${cookie}` })).toBe(401)
  })

  it('expires after twelve hours', async () => {
    const cookie = await on.gate.cookieFor(on.agent, on.owner.session)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12 * 3_600_000 + 1000 })
    const status = await statusOf({ cookie }).finally(() => vi.useRealTimers())
    expect(status).toBe(401)
  })

  it('an access cookie and a ticket end with the session that requested them', async () => {
    const person = await on.gate.person()
    const mine = await on.gate.agent(person.id)
    const at = on.gate.hostOf(mine)
    const [cookie, link] = [
      await on.gate.cookieFor(mine, person.session),
      await on.gate.linkFor(mine, person.session),
    ]
    await endSession(on.gate, { cookie: person.session.cookie.replace('service-session=', '') })
    expect(await statusOf({ cookie }, at)).toBe(401)
    expect((await redeem(link, at)).status).toBe(404)
    expect(await statusOf(bearer(person.key), at)).toBe(200)
  })

  it('ends when all sessions end, as by a password change, even if a key requested it', async () => {
    const person = await on.gate.person()
    const mine = await on.gate.agent(person.id)
    const at = on.gate.hostOf(mine)
    const cookie = await on.gate.cookieFor(mine, bearer(person.key))
    expect(await statusOf({ cookie }, at)).toBe(200)
    await endSessions(eventContext(on.gate.table), { userId: person.id })
    expect(await statusOf({ cookie }, at)).toBe(401)
  })

  it('ends with the key that requested it', async () => {
    const person = await on.gate.person()
    const mine = await on.gate.agent(person.id)
    const cookie = await on.gate.cookieFor(mine, bearer(person.key))
    expect(await statusOf({ cookie }, on.gate.hostOf(mine))).toBe(200)
    const row = { pk: `user#${person.id}`, sk: `key#${await sha256Hex(person.key)}` }
    await on.gate.table.delete(row)
    expect(await statusOf({ cookie }, on.gate.hostOf(mine))).toBe(401)
  })

  it('ends when the key that requested it expires, and when all keys are deleted', async () => {
    const person = await on.gate.person()
    const mine = await on.gate.agent(person.id)
    const at = on.gate.hostOf(mine)
    const cookie = await on.gate.cookieFor(mine, bearer(person.key))
    const row = { pk: `user#${person.id}`, sk: `key#${await sha256Hex(person.key)}` }
    await on.gate.table.update(row, { set: { validUntil: new Date(Date.now() - 1).toISOString() } })
    expect(await statusOf({ cookie }, at)).toBe(401)
    expect(await statusOf(bearer(person.key), at)).toBe(401)
    await on.gate.table.update(row, { remove: ['validUntil'] })
    expect(await statusOf({ cookie }, at)).toBe(200)
    await endAccess(eventContext(on.gate.table), { userId: person.id })
    expect(await statusOf({ cookie }, at)).toBe(401)
    expect(await statusOf(bearer(person.key), at)).toBe(401)
  })

  it('is not issued to a key that may only read or chat', async () => {
    const person = await on.gate.person()
    const mine = await on.gate.agent(person.id)
    const row = { pk: `user#${person.id}`, sk: `key#${await sha256Hex(person.key)}` }
    await on.gate.table.update(row, { set: { scopes: ['read', 'chat'] } })
    expect(await statusOf(bearer(person.key), on.gate.hostOf(mine))).toBe(403)
    expect((await on.gate.askForTicket(mine.id, bearer(person.key))).status).toBe(403)
    await on.gate.table.update(row, { set: { scopes: ['write'] } })
    expect(await statusOf(bearer(person.key), on.gate.hostOf(mine))).toBe(200)
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
    ['a link', { 'sec-fetch-site': 'cross-site', ...navigation }, 200],
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
    const origins: Record<string, string> = { own: `http://${on.host}`, tls: `https://${on.host}` }
    const cookie = await on.gate.cookieFor(on.agent, on.owner.session)
    const sent = { ...headers, ...(origin !== '' && { origin: origins[origin] ?? origin }) }
    expect(await statusOf({ ...sent, cookie })).toBe(status)
    // A caller that sends a key means it, wherever they are.
    expect(await statusOf({ ...sent, ...bearer(on.owner.key) })).toBe(200)
  })
})

describe('deployed', () => {
  it('the cookie is host-only and secure', async () => {
    const { config } = on.gate.services
    config.deployed = true
    try {
      const answer = await redeem(await on.gate.linkFor(on.agent, on.owner.session))
      const [set = ''] = answer.headers.getSetCookie()
      expect(set).toMatch(/^__Host-agent-access=.*; Path=\/; HttpOnly; .*; Secure$/)
      expect(set).not.toContain('Domain')
      const [cookie = ''] = set.split(';')
      expect(await statusOf({ cookie })).toBe(200)
      expect(await statusOf({ cookie: cookie.replace('__Host-', '') })).toBe(401)
      const passed = await on.gate.ask(on.host, {
        cookie: `${cookie}; a=1`,
        origin: `https://${on.host}`,
      })
      expect(passed.headers.get('x-agent-cookie')).toBe('a=1')
    } finally {
      config.deployed = false
    }
  })
})
