import { describe, expect, it } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import { subdomainKey } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { bearer, domain, routerSecret, useGate } from '#tests/support/agents/agent-hosts.ts'
import { untilFound } from '#tests/support/clock/eventually.ts'

const noQueues = { send: async () => {}, sendAll: async () => {} }

const on = useGate()

const statusOf = async (headers: Record<string, string>, at = on.host) =>
  (await on.gate.ask(at, headers)).status

describe('the gate', () => {
  it('responds only to the router', async () => {
    for (const secret of ['', 'wrong', routerSecret.slice(1), on.owner.key])
      expect(await statusOf({ ...bearer(on.owner.key), 'x-router-secret': secret })).toBe(401)
  })

  it('returns the address and the token of the agent', async () => {
    const answer = await on.gate.ask(on.host, {
      ...bearer(on.owner.key),
      cookie: 'a=1; service-session=x; b=2',
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-agent-upstream')).toBe('127.0.0.1:9')
    const token = await on.gate.tokenOf(on.agent)
    expect(answer.headers.get('x-agent-authorization')).toBe(`Bearer ${token}`)
    expect(answer.headers.get('x-agent-cookie')).toBe('a=1; b=2')
  })
})

describe('a browser without a ticket', () => {
  const browser = {
    accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
    'sec-fetch-mode': 'navigate',
  }

  it('gets a page with a link to the console, even for a host without an agent', async () => {
    for (const at of [on.host, `none-00000000.${domain}`]) {
      const answer = await on.gate.ask(at, browser)
      expect(answer.status).toBe(401)
      expect(answer.headers.get('content-type')).toContain('text/html')
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
      const page = await answer.text()
      const subdomain = at.slice(0, at.indexOf('.'))
      expect(page).toContain(`href="http://localhost:3000/agents?at=${subdomain}"`)
      expect(page.replaceAll(subdomain, '')).not.toContain(on.agent.id)
    }
  })

  it('gets the same page for a used ticket', async () => {
    const answer = await on.gate.ask(on.host, {
      ...browser,
      'x-forwarded-uri': '/.well-known/agent-ticket?ticket=x',
    })
    expect(answer.status).toBe(401)
    expect(await answer.text()).toContain('Sign in and open it')
  })

  it.each([
    ['asks for JSON', { accept: 'application/json' }],
    ['sends no Accept header', {}],
    ['sends a key', { ...browser, ...bearer('sk_none') }],
  ])('a program that %s gets JSON', async (_, headers) => {
    const answer = await on.gate.ask(on.host, headers)
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: expect.any(String) as string })
  })
})

describe('access', () => {
  it('is granted to the owner by key, and to the holder of the gateway token', async () => {
    expect(await statusOf(bearer(on.owner.key))).toBe(200)
    expect(await statusOf(bearer(await on.gate.tokenOf(on.agent)))).toBe(200)
    expect(await statusOf({ cookie: await on.gate.cookieFor(on.agent, on.owner.session) })).toBe(
      200,
    )
  })

  it('is denied without a credential, and with a session of the platform or of another user', async () => {
    const other = await on.gate.agent(on.stranger.id)
    for (const [headers, status] of [
      [{}, 401],
      [on.owner.session, 401],
      [bearer('sk_'), 401],
      [bearer(`sk_${'0'.repeat(64)}`), 401],
      [bearer(`ak_${'0'.repeat(64)}`), 401],
      [bearer(routerSecret), 401],
      [{ authorization: `Basic ${btoa(`x:${on.owner.key}`)}` }, 401],
      [{ authorization: `Bearer ${on.owner.key}, Bearer ${on.owner.key}` }, 401],
      [bearer(await on.gate.tokenOf(other)), 401],
      [bearer(await on.gate.tokenOf({ ...on.agent, tokenVersion: 2 })), 401],
      [bearer(on.stranger.key), 404],
      [{ cookie: await on.gate.cookieFor(other, on.stranger.session) }, 404],
    ] as const)
      expect([headers, await statusOf(headers)]).toEqual([headers, status])
  })

  it('is not granted by a cookie if the bearer is wrong', async () => {
    const cookie = await on.gate.cookieFor(on.agent, on.owner.session)
    expect(await statusOf({ cookie, ...bearer('wrong') })).toBe(401)
    expect(await statusOf({ cookie, ...bearer(on.stranger.key) })).toBe(404)
  })

  it('is denied to a stranger in the same way for every host', async () => {
    const nowhere = `ada-00000000.${domain}`
    for (const headers of [
      {},
      bearer('wrong'),
      bearer(on.stranger.key),
      { cookie: 'agent-access=x.y' },
    ])
      expect(await statusOf(headers, nowhere)).toBe(await statusOf(headers))
  })

  it('is granted to the platform by the token of its own agent', async () => {
    const own = await on.gate.agent(null)
    expect(await statusOf(bearer(await on.gate.tokenOf(own)), on.gate.hostOf(own))).toBe(200)
    expect(await statusOf(bearer(on.owner.key), on.gate.hostOf(own))).toBe(404)
  })
})

it('access is denied to an upgrade to another protocol than WebSocket', async () => {
  for (const [upgrade, status] of [
    ['h2c', 400],
    ['websocket, h2c', 400],
    ['WebSocket', 200],
  ] as const)
    expect(await statusOf({ ...bearer(on.owner.key), 'x-forwarded-upgrade': upgrade })).toBe(status)
})

describe('a host', () => {
  it.each([
    ['in upper case', (name: string) => name.toUpperCase(), 200],
    ['with a dot at its end', (name: string) => name.replace(':', '.:'), 404],
    ['without its port', (name: string) => name.replace(/:.*/, ''), 404],
    ['with another port', (name: string) => name.replace('3002', '3000'), 404],
    ['with a suffix', (name: string) => `${name}.evil.example`, 404],
    ['with a prefix', (name: string) => `x.${name}`, 404],
    ['with user information', (name: string) => `x@${name}`, 404],
    ['that is the agents’ domain itself', () => domain, 404],
    ['that is empty', () => '', 404],
    ['with a path', (name: string) => `${name}/x`, 404],
  ])('%s', async (_, change, status) => {
    expect(await statusOf(bearer(on.owner.key), change(on.host))).toBe(status)
  })
})

describe('an agent', () => {
  it('an agent that is stopped returns service unavailable', async () => {
    const stopped = await on.gate.agent(on.owner.id, { status: 'stopped', desired: 'stopped' })
    const answer = await on.gate.ask(on.gate.hostOf(stopped), bearer(on.owner.key))
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ code: 'AGENT_NOT_RUNNING', status: 'stopped' })
    expect(answer.headers.get('x-agent-authorization')).toBeNull()
  })

  it('an agent that is deleted is not found, and its tickets are void', async () => {
    const doomed = await on.gate.agent(on.owner.id)
    const at = on.gate.hostOf(doomed)
    const [cookie, link] = [
      await on.gate.cookieFor(doomed, on.owner.session),
      await on.gate.linkFor(doomed, on.owner.session),
    ]
    await deleteAgent(
      { table: on.gate.table, queues: noQueues },
      { agentId: doomed.id, owner: on.owner.id },
    )
    expect(await on.gate.table.get(subdomainKey(doomed.subdomain))).toBeUndefined()
    expect(await statusOf(bearer(on.owner.key), at)).toBe(404)
    expect(await statusOf({ cookie }, at)).toBe(401)
    expect((await on.gate.follow(link, at)).status).toBe(404)
  })

  it('an agent without a host row is found after its next change', async () => {
    const old = await on.gate.agent(on.owner.id, { located: undefined })
    const at = on.gate.hostOf(old)
    expect(await statusOf({ cookie: await on.gate.cookieFor(old, on.owner.session) }, at)).toBe(200)
    expect(await statusOf(bearer(on.owner.key), at)).toBe(200)
    const untouched = await on.gate.agent(on.owner.id, { located: undefined })
    expect(await statusOf(bearer(on.owner.key), on.gate.hostOf(untouched))).toBe(404)
    await changeAgent(on.gate, {
      agent: untouched,
      decide: (current) => ({ ...current, name: 'Grace' }),
    })
    expect(await statusOf(bearer(on.owner.key), on.gate.hostOf(untouched))).toBe(200)
  })

  it('an agent that starts is awaited, up to a timeout', async () => {
    const starting = await on.gate.agent(on.owner.id, {
      status: 'provisioning',
      address: undefined,
    })
    const pending = on.gate.ask(on.gate.hostOf(starting), bearer(on.owner.key))
    await changeAgent(on.gate, {
      agent: starting,
      decide: (current) => ({
        ...current,
        status: 'running',
        address: { host: '127.0.0.1', port: 1234 },
      }),
    })
    expect((await pending).headers.get('x-agent-upstream')).toBe('127.0.0.1:1234')
    const slow = await on.gate.agent(on.owner.id, { status: 'provisioning', address: undefined })
    const { wakeTimeoutMs } = on.gate.services
    on.gate.services.wakeTimeoutMs = 50
    const late = await on.gate.ask(on.gate.hostOf(slow), bearer(on.owner.key))
    on.gate.services.wakeTimeoutMs = wakeTimeoutMs
    expect(late.status).toBe(504)
    expect(await late.json()).toMatchObject({ code: 'AGENT_TIMEOUT' })
  })

  it('an agent that sleeps is woken by the first request, which waits for it', async () => {
    const asleep = await on.gate.agent(on.owner.id, {
      status: 'stopped',
      desired: 'stopped',
      asleep: true,
    })
    const pending = on.gate.ask(on.gate.hostOf(asleep), bearer(on.owner.key))
    const woken = await untilFound(async () => {
      const row = await on.gate.row(asleep)
      return row.status === 'provisioning' && row
    })
    const address = { host: '127.0.0.1', port: 4321 }
    await changeAgent(on.gate, {
      agent: woken,
      decide: (row) => ({ ...row, status: 'running', address }),
    })
    expect((await pending).headers.get('x-agent-upstream')).toBe('127.0.0.1:4321')
    expect((await on.gate.row(asleep))?.busyUntil).toBeGreaterThan(Date.now())
  })

  it('an agent that sleeps is not woken while its owner’s plan has ended', async () => {
    const late = await on.gate.person()
    const asleep = await on.gate.agent(late.id, {
      status: 'stopped',
      desired: 'stopped',
      asleep: true,
    })
    await userStore(on.gate.table, late.id).update('profile', {
      set: { subscription: { id: null, status: 'canceled', customerId: null } },
    })
    const answer = await on.gate.ask(on.gate.hostOf(asleep), bearer(late.key))
    expect(answer.status).toBe(402)
    expect(await answer.json()).toMatchObject({ code: 'SUBSCRIPTION_REQUIRED' })
    expect(await on.gate.row(asleep)).toEqual(asleep)
  })

  it('an agent that an operator has stopped returns the reason', async () => {
    const stopped = await on.gate.agent(on.owner.id, {
      status: 'stopped',
      desired: 'stopped',
      stoppedByOperator: true,
    })
    const answer = await on.gate.ask(on.gate.hostOf(stopped), bearer(on.owner.key))
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ code: 'STOPPED_BY_OPERATOR' })
    expect(await on.gate.row(stopped)).toEqual(stopped)
  })

  it('an agent that sleeps is not woken by a stranger', async () => {
    const asleep = await on.gate.agent(on.owner.id, {
      status: 'stopped',
      desired: 'stopped',
      asleep: true,
    })
    for (const headers of [{}, bearer(on.stranger.key), on.owner.session])
      expect(await statusOf(headers, on.gate.hostOf(asleep))).toBeOneOf([401, 404])
    const row = await on.gate.row(asleep)
    expect(row).toEqual(asleep)
  })
})
