import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { balanceOf } from '../support/chains/usdc-chain.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { enginesOf } from '../support/stack/engines.ts'
import { startOwnStack } from '../support/stack/stack-process.ts'
import { seed } from '../support/vitest/seed.ts'
import { startMarket } from '../support/x402/start-market.ts'
import { type AgentRequest, type Callers, callersOf, rowsOf } from './permits/agents.ts'
import { drainApprovals, drainPayments, paymentsOf } from './permits/drain.ts'
import { randomFrom } from './world/random.ts'

/** A large run: PERMIT_AGENTS=10 PERMIT_REQUESTS=60 PERMIT_KILLS=20. */
const agents = Number(process.env.PERMIT_AGENTS ?? 2)
/** The requests of each kind of each agent: payments, broker requests and messages. */
const requests = Number(process.env.PERMIT_REQUESTS ?? 6)
const kills = Number(process.env.PERMIT_KILLS ?? 2)

/** The number of parallel requests of an agent. */
const parallel = 3

const price = 10_000
/** Two of three payments fit. */
const perDay = price * Math.ceil((requests * 2) / 3)

const mayHaveBeenDone = /may have been (done|made)/

type Kind = 'payment' | 'request' | 'message'

interface Order extends AgentRequest {
  agentId: string
  kind: Kind
  /** The path of a request, or the id of a message: the effect is counted by it. */
  witness: string
  approvalId?: string
  isDenied?: boolean
}

it(
  `${agents * requests * 3} payments, requests and messages of agents are made at most once while everything is killed`,
  async () => {
    const random = randomFrom(seed)
    useLocalCredentials()
    /** The number of requests of each path that reached the host. */
    const hits = new Map<string, number>()
    let arrived = 0
    let fatal: number[] = []
    let killing: Promise<void> | undefined
    let killed = 0
    let killedAt = 0

    // The host's requests trigger the kills, so that they happen while the platform waits for its answers.
    const market = await startMarket((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'https://host')
      if (++arrived >= (fatal[0] ?? Infinity) && killing === undefined) {
        fatal.shift()
        killing = killAndStart(random.below(60))
      }
      if (random.percent(10)) market.facilitator.meets('settle', 'lost')
      if (pathname === '/paid') return false
      hits.set(pathname, (hits.get(pathname) ?? 0) + 1)
      void wait(random.below(40)).then(() => response.writeHead(201).end('taken'))
      return true
    })
    onTestFinished(() => market.close())
    const stack = await startOwnStack({ RATE_LIMITS: 'off', ...market.settings })
    onTestFailed(
      () => void process.stdout.write(`${stack.now().output().slice(-20_000)}\nseed ${seed}\n`),
    )
    onTestFinished(() => stack[Symbol.asyncDispose]())

    async function killAndStart(afterMs: number): Promise<void> {
      await wait(afterMs)
      await stack.now().kill()
      killed++
      killedAt = Date.now()
      await stack.startAgain()
      killing = undefined
    }

    const owner = await stack.newSubscriber('network')
    const callers = await callersOf(stack, { owner, killing: () => killing })
    const { asOwner, asAgent } = callers
    const names = Array.from({ length: agents }, (_, n) => `Agent ${n}`)
    const ids = await Promise.all(names.map((name) => stack.runningAgent(owner, name)))
    const wallets = new Map<string, string>()
    for (const [n, id] of ids.entries()) {
      const { body } = await asOwner('/api/wallet/create', { agentId: id })
      wallets.set(id, String(body['address']))
      await market.fund(String(body['address']))
      await prepare(callers, { agentId: id, host: market.host, asksForPayments: n % 2 === 1 })
    }

    const orders: Order[] = []
    for (const [n, agentId] of ids.entries())
      for (let i = 0; i < requests; i++)
        orders.push(
          ...(await ordersOf(callers, {
            agentId,
            to: ids[(n + 1) % agents] ?? agentId,
            i,
            host: market.host,
          })),
        )
    const expected = orders.length
    fatal = Array.from({ length: kills }, () => arrived + 2 + random.below(expected)).toSorted(
      (a, b) => a - b,
    )

    await Promise.all(
      ids.flatMap((agentId) => {
        const own = orders.filter((one) => one.agentId === agentId).values()
        return Array.from({ length: parallel }, async () => {
          for (const order of own) await place(order)
        })
      }),
    )
    await killing
    while (killed < kills) await killAndStart(0)

    /** Sends a request until it is answered, and decides its approval, if it needs one. */
    async function place(order: Order): Promise<void> {
      const { status, body } = await asAgent(order.agentId, order)
      if (status !== 202) {
        // A payment that was made before a kill, or one above the mandate.
        if (order.kind !== 'payment') expect({ order, status, body }).toMatchObject({ status: 202 })
        return expect([200, 402, 409]).toContain(status)
      }
      order.approvalId = String(body['approvalId'])
      order.isDenied = random.percent(15)
      const decision = order.isDenied ? 'deny' : 'approve'
      const decided = await asOwner(`/api/approvals/${order.approvalId}`, { decision })
      // 409: decided before a kill.
      expect([200, 409]).toContain(decided.status)
    }

    await drainApprovals(stack, { userId: owner.id, killedAt })
    // From now on the chain's clock is ahead, so that payments that were not taken can be returned.
    const later = Math.floor(Date.now() / 1000) + 1000
    await market.chain.request('evm_setNextBlockTimestamp', later as never)
    await market.chain.request('anvil_mine', '0x3')
    for (const id of ids) await drainPayments(stack, id)

    const inbox = (await rowsOf(stack, `user#${owner.id}`, 'inbox#')).map(({ text }) =>
      String(text),
    )
    const outcomes: Record<string, number> = {}
    for (const order of orders) {
      const outcome = await outcomeOf(order)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }

    /** Asserts that an order had at most one effect, and as many as its approval says. */
    async function outcomeOf({
      kind,
      witness,
      approvalId,
      isDenied,
      agentId,
    }: Order): Promise<string> {
      if (approvalId === undefined) return `${kind} without an approval`
      const { body } = await asOwner(`/api/approvals/${approvalId}`)
      const { error } = (body['result'] ?? {}) as { error?: string }
      const effects = await effectsOf({ kind, witness, approvalId, agentId })
      const about = { seed, kind, approvalId, state: body['state'], error, effects }
      if (isDenied) expect(about).toEqual({ ...about, state: 'denied', effects: 0 })
      else if (about.state === 'done') expect(about).toEqual({ ...about, effects: 1 })
      else {
        const isRefused = kind === 'payment' && /exceeds the mandate/.test(error ?? '')
        if (isRefused) expect(about).toEqual({ ...about, state: 'failed', effects: 0 })
        else
          expect(about).toMatchObject({
            state: 'failed',
            error: expect.stringMatching(mayHaveBeenDone),
          })
        expect(effects).toBeLessThanOrEqual(1)
        // A message is one transaction with the end of its approval.
        expect(kind).not.toBe('message')
      }
      return `${kind} ${String(about.state)}`
    }

    async function effectsOf({
      kind,
      witness,
      approvalId,
      agentId,
    }: Pick<Order, 'kind' | 'witness' | 'approvalId' | 'agentId'>): Promise<number> {
      if (kind === 'request') return hits.get(witness) ?? 0
      if (kind === 'message') return inbox.filter((text) => text.includes(witness)).length
      const payments = await paymentsOf(stack, agentId)
      return payments.filter((one) => one.approvalId === approvalId).length
    }

    let settled = 0
    for (const id of ids) {
      const payments = await paymentsOf(stack, id)
      const taken = payments.filter(({ state }) => state === 'settled').length
      settled += taken
      expect(payments.map(({ state }) => state)).toEqual(
        payments.map(() => expect.stringMatching(/^(settled|returned)$/)),
      )
      // Each order has at most one payment.
      expect(new Set(payments.map(({ request }) => request)).size).toBe(payments.length)
      const spent = 100_000_000n - (await balanceOf(market.chain, wallets.get(id) ?? ''))
      expect(spent).toBe(BigInt(taken * price))
      expect(taken * price).toBeLessThanOrEqual(perDay)
      const { body } = await asOwner(`/api/agents/${id}/mandate`)
      expect(Number(body['usedTodayUsd'])).toBe((taken * price) / 1_000_000)
    }
    const engines = enginesOf(() => stack.now().endpoints)
    expect(await engines.deadLetters()).toEqual({})
    const counts = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`)
    process.stdout.write(
      `seed ${seed}: ${killed} kills, ${settled} payments, ${counts.join(', ')}\n`,
    )
  },
  900_000 + agents * requests * 5000,
)

/** Gives an agent a credential, a mandate and a policy that asks for all that it sends. */
async function prepare(
  { asOwner }: Callers,
  { agentId, host, asksForPayments }: { agentId: string; host: string; asksForPayments: boolean },
): Promise<void> {
  const header = 'authorization: Bearer {value}'
  const credential = { name: 'shop', hosts: [host], header, value: 'a-value' }
  const allowed = { action: 'payment.send', then: 'allow' }
  const answers = [
    await asOwner(`/api/agents/${agentId}/broker-credentials`, credential),
    await asOwner(
      `/api/agents/${agentId}/mandate`,
      { perPaymentUsd: '1', perDayUsd: String(perDay / 1_000_000), perMonthUsd: '100' },
      'PUT',
    ),
    await asOwner(
      `/api/agents/${agentId}/policy`,
      { preset: 'guarded', rules: asksForPayments ? [] : [allowed] },
      'PUT',
    ),
  ]
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200])
}

/** Returns a payment, a broker request and a message of an agent. */
async function ordersOf(
  { signedMessage }: Callers,
  { agentId, to, i, host }: { agentId: string; to: string; i: number; host: string },
): Promise<Order[]> {
  const message = await signedMessage(agentId, to)
  return [
    {
      agentId,
      kind: 'payment',
      witness: '',
      method: 'GET',
      path: `/pay/${host}/paid?order=${i}`,
      headers: { 'idempotency-key': `order-${i}` },
    },
    {
      agentId,
      kind: 'request',
      witness: `/orders/${agentId}/${i}`,
      method: 'POST',
      path: `/broker/shop/${host}/orders/${agentId}/${i}`,
      body: { i },
    },
    {
      agentId,
      kind: 'message',
      witness: String(message['messageId']),
      method: 'POST',
      path: '/api/underground/bus/send',
      body: message,
    },
  ]
}
