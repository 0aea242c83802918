import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { userStore } from '#shared/platform/table/user-store.ts'
import { brokerSlotRows } from '#shared/tools/broker/rows.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { useBrokerScene } from '#tests/support/tools/broker-with-host.ts'
import { agentWithKey } from '#tests/support/tools/broker.ts'

const value = 'a-value-of-hers'
const on = useBrokerScene(value)

/** Sends requests, and makes each five seconds old when the host has received it. */
async function askLong(asks: readonly (() => Promise<Response>)[], path?: string) {
  const before = on.seen.length
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const pending = asks.map((ask) => ask())
    while (on.seen.length < before + asks.length) await setImmediate()
    // If the host has begun to respond, its response arrives first.
    if (path === 'begun') await Promise.all(pending)
    vi.advanceTimersByTime(5000)
    return pending
  } finally {
    vi.useRealTimers()
  }
}

const slots = async () => {
  const item = await userStore(on.accounts.table, on.user.id).get(brokerSlotRows.sk({}))
  return item && brokerSlotRows.parse(item)
}

describe('of calls that take longer than five seconds', () => {
  it('an owner’s agents have at most ten at once; a further call gets an error until one has ended', async () => {
    const second = await agentWithKey(on.accounts.table, on.user.id)
    await on.broker.keep(on.user.session, second.agentId, { hosts: [on.host], value })
    const ends: (() => void)[] = []
    on.answer = (_, response) => void ends.push(() => response.end('here'))
    const path = `/api/${on.host}/`
    const askSecond = () => on.broker.ask(second.key, path)
    const pending = await askLong(
      Array.from({ length: 14 }, (_, i) => (i % 2 === 0 ? () => on.ask(path) : askSecond)),
    )
    const refused: Response[] = []
    for (const one of pending)
      void one.then((answer) => answer.status === 429 && refused.push(answer))
    await eventually(() => expect(refused).toHaveLength(4))
    expect(await refused[0]!.json()).toEqual({
      error: expect.stringContaining('10 uses'),
      code: 'BROKER_BUSY',
    })
    expect(refused[0]!.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    await eventually(() => expect(on.seen.filter(({ socket }) => socket.destroyed)).toHaveLength(4))
    for (const end of ends) end()
    const answers = await Promise.all(pending)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    for (const answer of answers)
      if (answer.status === 200) expect(await answer.text()).toBe('here')
    expect((await slots())?.committed).toBe(0)
  })

  it('a call without a slot is cancelled, even if it promised a short answer, and others continue', async () => {
    const expiry = Math.ceil(Date.now() / 300_000) * 300 + 900
    await userStore(on.accounts.table, on.user.id).put(
      brokerSlotRows.sk({}),
      brokerSlotRows.attributes({ committed: 10, [`held_${expiry}`]: 10, expiresAt: expiry }),
    )
    const eve = await on.accounts.signUp(`eve-${on.user.id}@b.co`)
    const hers = await agentWithKey(on.accounts.table, eve.id)
    await on.broker.keep(eve.session, hers.agentId, { hosts: [on.host], value })
    const ends: (() => void)[] = []
    on.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '5' }).write('begu')
      ends.push(() => response.end('n'))
    }
    const path = `/api/${on.host}/`
    const [mine, others] = await askLong(
      [() => on.ask(path), () => on.broker.ask(hers.key, path)],
      'begun',
    )
    await expect((await mine!).text()).rejects.toThrow('this one was ended')
    expect(await on.requests()).toMatchObject([{ status: 200, bytes: 4 }])
    for (const end of ends) end()
    expect(await (await others!).text()).toBe('begun')
  })

  it('the slots of killed processes are free once they have expired', async () => {
    const past = Math.floor(Date.now() / 300_000) * 300
    await userStore(on.accounts.table, on.user.id).put(
      brokerSlotRows.sk({}),
      brokerSlotRows.attributes({
        committed: 10,
        [`held_${past}`]: 7,
        [`held_${past - 300}`]: 3,
        expiresAt: past + 86_400,
      }),
    )
    let end = () => {}
    on.answer = (_, response) => {
      response.write('begun')
      end = () => response.end()
    }
    const [pending] = await askLong([() => on.ask(`/api/${on.host}/`)], 'begun')
    await eventually(async () => expect((await slots())?.committed).toBe(1))
    expect(await slots()).not.toHaveProperty(`held_${past}`)
    end()
    expect(await (await pending!).text()).toBe('begun')
    expect((await slots())?.committed).toBe(0)
  })
})

it('rejects an agent that calls too often, and no other agent at the same address', async () => {
  const second = await agentWithKey(on.accounts.table, on.user.id)
  let refused: Response | undefined
  // A minute can end in between, so that two minutes' worth of requests can pass.
  for (let requestCount = 0; requestCount <= 600 && refused === undefined; requestCount += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => on.ask('')))
    refused = answers.find(({ status }) => status === 429)
  }
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(refused?.headers.get('ratelimit-limit')).toBe('300')
  expect((await on.broker.ask(second.key, '')).status).toBe(200)
})

it('rejects unknown keys after too many attempts from one address, and never a valid key', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const from = { ip: '203.0.113.9' }
    const ask = (key: string) => on.broker.ask(key, '', from)
    const guess = () => ask(`ak_${randomBytes(32).toString('hex')}`)
    const answers = await Promise.all(Array.from({ length: 70 }, guess))
    const count = (of: number) => answers.filter(({ status }) => status === of).length
    expect([count(401), count(429)]).toEqual([60, 10])
    const refused = await guess()
    expect([refused.status, refused.headers.get('ratelimit-limit')]).toEqual([429, '60'])
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await ask(on.agent.key)).status).toBe(200)
    vi.setSystemTime(Date.now() + 60_000)
    expect((await guess()).status).toBe(401)
  } finally {
    vi.useRealTimers()
  }
})
