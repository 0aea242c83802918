import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { changeAgent } from '#shared/agents/record/change.ts'
import { bearer, domain, useGate } from '#tests/support/agents/agent-hosts.ts'

const on = useGate()

let addresses = 0
const newAddress = () => `198.51.100.${++addresses}`

describe('requests to agents’ hosts', () => {
  // Every request of a test is in the same minute.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() }))
  afterEach(() => void vi.useRealTimers())

  /** contract.md 20: at most 300 a minute and address. */
  const burst = 301

  const statusOf = async (from: string, headers: Record<string, string> = {}, at = on.host) =>
    (await on.gate.ask(at, { 'x-router-client': from, ...headers })).status

  const invalid: [string, () => Record<string, string>, string?][] = [
    ['without a credential', () => ({})],
    ['with invented keys', () => bearer(`sk_${String(Math.random()).slice(2).padEnd(64, '0')}`)],
    ['with invented tokens', () => bearer(String(Math.random()))],
    ['with invented cookies', () => ({ cookie: `agent-access=${Math.random()}.x` })],
    ['with invented tickets', () => ({ 'x-forwarded-uri': '/.well-known/agent-ticket?ticket=x' })],
    ['for hosts without an agent', () => ({}), `none-00000000.${domain}`],
    ['for other hosts', () => ({}), 'evil.example'],
    ['for other protocols', () => ({ 'x-forwarded-upgrade': 'h2c' })],
  ]

  it.each(invalid)(
    'requests %s are limited by address, and requests with a valid credential never',
    async (_, headers, at) => {
      const from = newAddress()
      const answers = await Promise.all(
        Array.from({ length: burst }, () => statusOf(from, headers(), at)),
      )
      expect(answers).toContain(429)
      expect(answers.at(0)).not.toBe(429)
      const cookie = await on.gate.cookieFor(on.agent, on.owner.session)
      const token = await on.gate.tokenOf(on.agent)
      for (const valid of [bearer(on.owner.key), bearer(token), { cookie }])
        expect(await statusOf(from, valid)).toBe(200)
      const link = await on.gate.linkFor(on.agent, on.owner.session)
      expect(await statusOf(from, { 'x-forwarded-uri': link })).toBe(303)
      expect(await statusOf(newAddress(), headers(), at)).not.toBe(429)
    },
  )

  it('requests to agents’ hosts with a valid credential have no limit', async () => {
    const from = newAddress()
    const answers = await Promise.all(
      Array.from({ length: burst }, () => statusOf(from, bearer(on.owner.key))),
    )
    expect(new Set(answers)).toEqual(new Set([200]))
  })

  it('count against the limit of the address that the load balancer adds, not of addresses that the client sends', async () => {
    const from = newAddress()
    const answers = await Promise.all(
      Array.from({ length: burst }, (_, i) => statusOf(`10.0.${i % 250}.1, ${from}`)),
    )
    expect(answers).toContain(429)
    expect(await statusOf(`${from}, ${newAddress()}`)).toBe(401)
  })
})

describe('requests that wait for agents', () => {
  const starting = (userId: string | null) =>
    on.gate.agent(userId, { status: 'provisioning', address: undefined })

  type Starting = Awaited<ReturnType<typeof starting>>

  const arrive = (agent: Starting) =>
    changeAgent(on.gate, {
      agent,
      decide: (row) => ({ ...row, status: 'running', address: { host: '127.0.0.1', port: 9 } }),
    })

  /** Sends requests that wait, and returns once all of them have a slot or are refused. */
  function wait(agent: Starting, key: string, count: number) {
    const pending = Array.from({ length: count }, () =>
      on.gate.ask(on.gate.hostOf(agent), bearer(key)),
    )
    return { statuses: async () => (await Promise.all(pending)).map(({ status }) => status) }
  }

  async function untilOpen(holder: string, count: number): Promise<void> {
    const key = { pk: `open#waits#${holder}`, sk: 'open' }
    await vi.waitUntil(async () => (await on.gate.table.get(key))?.committed === count, {
      timeout: 30_000,
    })
  }

  it('are at most 50 for one agent, and one more after one ends', async () => {
    const { id, key } = await on.gate.person()
    const agent = await starting(id)
    const first = wait(agent, key, 50)
    await untilOpen(`user-${id}`, 50)
    const refused = await on.gate.ask(on.gate.hostOf(agent), bearer(key))
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: expect.stringMatching(/^50 requests that wait/), code: 'TOO_MANY_OPEN' },
    ])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    await arrive(agent)
    expect(new Set(await first.statuses())).toEqual(new Set([200]))
    await untilOpen(`user-${id}`, 0)
  })

  it('are at most 50 for all agents of a user, and no other user is refused', async () => {
    const { id, key } = await on.gate.person()
    const agents = await Promise.all(Array.from({ length: 5 }, () => starting(id)))
    const first = agents.map((agent) => wait(agent, key, 10))
    await untilOpen(`user-${id}`, 50)
    const another = await starting(id)
    expect(await wait(another, key, 1).statuses()).toEqual([429])
    // A running agent of the user is reached as before.
    const running = await on.gate.agent(id)
    expect(await wait(running, key, 1).statuses()).toEqual([200])
    const neighbour = await on.gate.person()
    const theirs = await starting(neighbour.id)
    const also = wait(theirs, neighbour.key, 1)
    await untilOpen(`user-${neighbour.id}`, 1)
    await Promise.all([...agents, theirs].map(arrive))
    const statuses = await Promise.all([...first, also].map((each) => each.statuses()))
    expect(new Set(statuses.flat())).toEqual(new Set([200]))
  })

  it('are at most 50 for an agent without an owner', async () => {
    const agent = await starting(null)
    const token = await on.gate.tokenOf(agent)
    const first = wait(agent, token, 50)
    await untilOpen(agent.id, 50)
    expect(await wait(agent, token, 1).statuses()).toEqual([429])
    await arrive(agent)
    expect(new Set(await first.statuses())).toEqual(new Set([200]))
  })
})
