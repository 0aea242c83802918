import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Billing,
  type PaymentEventInput,
  startBilling,
} from '#tests/support/billing/billing.ts'
import {
  completed,
  sessionOf,
  subscriptionEvent,
  subscriptionOf,
} from '#tests/support/billing/payment-events.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const beginning = Math.floor(Date.now() / 1000) - 10_000

interface Given {
  dispute?: string
  kind: 'created' | 'updated' | 'funds_withdrawn' | 'funds_reinstated' | 'closed'
  status?: string
  amount?: number
  at?: number
}

const disputeEvent = (intent: unknown, { dispute, kind, at = 0, ...given }: Given) =>
  ({
    type: `charge.dispute.${kind}`,
    created: beginning + at,
    object: {
      id: dispute ?? `du_of_${String(intent)}`,
      object: 'dispute',
      charge: `ch_of_${String(intent)}`,
      payment_intent: intent,
      currency: 'gbp',
      reason: 'fraudulent',
      ...given,
    },
  }) satisfies PaymentEventInput

const balance = async (session: string) =>
  (await billing.web('GET', '/api/credits', { session }))[1].credits

/** Creates a user with an order of 200 credits for 15 pounds. */
async function packBuyer() {
  const user = await billing.newUser()
  const paid = sessionOf(await billing.order(user.session, { action: 'buy-credits', pack: 200 }))
  const intent = paid.payment_intent
  return {
    ...user,
    paid,
    intent,
    pay: () => billing.deliver(completed(paid)),
    dispute: (given: Given) => billing.deliver(disputeEvent(intent, { amount: 1500, ...given })),
    refund: (pence: number) =>
      billing.deliver({
        type: 'charge.refunded',
        object: { payment_intent: intent, amount: 1500, amount_refunded: pence },
      }),
  }
}

/** Creates a user whose subscription's payments only the provider knows: no event names them. */
async function subscriber(plan?: 'solo') {
  const user = await billing.newUser()
  const body = plan === undefined ? {} : { action: 'create-checkout', plan }
  const paid = sessionOf(await billing.order(user.session, body))
  const intent = `pi_${randomUUID()}`
  billing.provider.payments.set(intent, { subscription: paid.subscription })
  const pence = plan === undefined ? 3900 : 7900
  return {
    ...user,
    pay: () => billing.deliver(completed(paid, beginning - 100)),
    dispute: (given: Given) => billing.deliver(disputeEvent(intent, { amount: pence, ...given })),
    update: (status: string, at: number) =>
      billing.deliver(
        subscriptionEvent(
          'updated',
          subscriptionOf(paid.subscription, status, pence),
          beginning + at,
        ),
      ),
    status: async () => (await billing.see(user.session)).subscriptionStatus,
  }
}

const created = { kind: 'created', status: 'needs_response' } as const
const won = { kind: 'closed', status: 'won', at: 60 } as const
const lost = { kind: 'closed', status: 'lost', at: 60 } as const

describe('a plan whose payment is disputed', () => {
  it('is past due, regardless of its subscription, until the dispute is won', async () => {
    const { id, pay, dispute, update, status } = await subscriber('solo')
    await pay()
    await billing.told()
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    await dispute(created)
    const log = JSON.stringify(lines.mock.calls)
    lines.mockRestore()
    expect(log).toContain('a payment is disputed')
    expect(await status()).toBe('past_due')
    expect(await billing.told()).toEqual([id])
    await update('active', 10)
    expect(await status()).toBe('past_due')
    await dispute(won)
    expect(await status()).toBe('active')
    await dispute(created)
    expect(await status()).toBe('active')
  })

  it('stays past due if the dispute is lost; an appeal may still win', async () => {
    const { pay, dispute, update, status } = await subscriber('solo')
    await pay()
    await dispute(created)
    await dispute(lost)
    await update('active', 70)
    expect(await status()).toBe('past_due')
    await dispute({ kind: 'updated', status: 'appeal_under_review', at: 80 })
    await dispute({ kind: 'closed', status: 'won', at: 90 })
    expect(await status()).toBe('active')
  })

  it('is past due while one of several disputes is open, even if they arrive before the payment', async () => {
    const { pay, dispute, status } = await subscriber('solo')
    await dispute({ dispute: 'du_a', ...won })
    await dispute({ dispute: 'du_a', ...created })
    await dispute({ dispute: 'du_b', ...created })
    await pay()
    expect(await status()).toBe('past_due')
    await dispute({ dispute: 'du_b', ...won })
    expect(await status()).toBe('active')
  })

  it('is unchanged during an inquiry, which takes no money', async () => {
    const { pay, dispute, status } = await subscriber('solo')
    await pay()
    await dispute({ kind: 'created', status: 'warning_needs_response' })
    expect(await status()).toBe('active')
    await dispute({ kind: 'updated', status: 'needs_response', at: 5 })
    expect(await status()).toBe('past_due')
    await dispute({ kind: 'closed', status: 'warning_closed', at: 10 })
    expect(await status()).toBe('active')
  })

  it('is restored even if a trusted caller gave it, and no subscription event arrived', async () => {
    const { id, session } = await billing.newUser()
    const [subscriptionId, intent] = [`sub_${randomUUID()}`, `pi_${randomUUID()}`]
    billing.provider.payments.set(intent, { subscription: subscriptionId })
    const give = () => billing.subscribe({ userId: id, plan: 'label', subscriptionId })
    await give()
    await billing.deliver(disputeEvent(intent, created))
    await give()
    expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'past_due' })
    await billing.deliver(disputeEvent(intent, won))
    expect(await billing.see(session)).toMatchObject({
      currentPlan: 'label',
      subscriptionStatus: 'active',
    })
  })

  it('is found by the payment of its checkout, without a request to the provider', async () => {
    const { session } = await billing.newUser()
    const order = await billing.order(session, { action: 'create-checkout', plan: 'solo' })
    const intent = `pi_${randomUUID()}`
    const paid = sessionOf(order, { payment_intent: intent })
    await billing.deliver(disputeEvent(intent, { kind: 'created' }))
    await billing.deliver(completed(paid, beginning - 100))
    expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'past_due' })
    await billing.deliver(disputeEvent(intent, won))
    expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'active' })
  })
})

it('storage whose payment is disputed is withdrawn, and restored', async () => {
  const { session, pay, dispute } = await subscriber()
  await pay()
  await dispute(created)
  expect(await billing.see(session)).toMatchObject({ storageGb: 0 })
  await dispute(won)
  expect(await billing.see(session)).toMatchObject({ storageGb: 50 })
})

describe('credits whose payment is disputed', () => {
  it('are withdrawn up to the balance, and restored once', async () => {
    const { id, session, pay, dispute, refund } = await packBuyer()
    await pay()
    await billing.give(id, { creditMicroUsd: 3_000_000 })
    await dispute(created)
    await dispute({ ...created, kind: 'funds_withdrawn', at: 1 })
    expect(await balance(session)).toBe(0)
    await dispute(won)
    await dispute({ ...won, kind: 'funds_reinstated', at: 61 })
    expect(await balance(session)).toBe(30)
    await refund(1500)
    await dispute({ dispute: 'du_later', ...created })
    await dispute({ dispute: 'du_later', ...won })
    expect(await balance(session)).toBe(0)
  })

  it('are restored only if they were not refunded in the meantime, and not after a lost dispute', async () => {
    const { session, pay, dispute, refund } = await packBuyer()
    await pay()
    await dispute(created)
    await refund(750)
    await dispute(won)
    expect(await balance(session)).toBe(100)
    await dispute({ dispute: 'du_second', ...created })
    await dispute({ dispute: 'du_second', ...lost })
    expect(await balance(session)).toBe(0)
  })

  it('are found by the order that the payment references, if its checkout did not reference the payment', async () => {
    const { session, paid, intent, dispute } = await packBuyer()
    await billing.deliver(completed({ ...paid, payment_intent: undefined }))
    billing.provider.payments.set(String(intent), { metadata: paid.metadata })
    await dispute({ ...created, amount: 750 })
    expect(await balance(session)).toBe(100)
    await dispute(won)
    expect(await balance(session)).toBe(200)
  })

  it('are ignored if no order knows the payment, and the provider is asked until it responds', async () => {
    const dispute = () => billing.deliver(disputeEvent(`pi_${randomUUID()}`, created))
    expect(await dispute()).toEqual([200, { received: true }])
    billing.provider.behave(500)
    const [status] = await dispute()
    billing.provider.behave(undefined)
    expect(status).toBe(502)
  })
})

const states = ['warning_needs_response', 'needs_response', 'lost', 'won'] as const

const oneDispute = fc.record({
  amount: fc.integer({ min: 1, max: 1500 }),
  steps: fc.array(fc.record({ status: fc.constantFrom(...states), later: fc.nat({ max: 2 }) }), {
    minLength: 1,
    maxLength: 3,
  }),
})

it('the balance is the same for every order, repetition and concurrency of payment, refunds and disputes', async () => {
  const property = fc.asyncProperty(
    fc.array(oneDispute, { minLength: 1, maxLength: 2 }),
    fc.array(fc.integer({ min: 1, max: 1500 }), { maxLength: 2 }),
    fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
    fc.integer({ min: 1, max: 3 }),
    async (disputes, refunds, seeds, together) => {
      const { id, session, paid, intent } = await packBuyer()
      const refunded = Math.max(0, ...refunds)
      let withheld = 0
      const reports: PaymentEventInput[] = [
        completed(paid),
        ...refunds.map((amount_refunded) => ({
          type: 'charge.refunded',
          object: { payment_intent: intent, amount: 1500, amount_refunded },
        })),
      ]
      for (const [n, { amount, steps }] of disputes.entries()) {
        let at = 0
        const words = steps.map(({ status, later }, i) => {
          at += later + (i > 0 ? 1 : 0)
          const kind = i === 0 ? 'created' : 'updated'
          return disputeEvent(intent, { dispute: `du_${n}`, kind, status, amount, at })
        })
        reports.push(...words)
        const last = steps.at(-1)?.status
        if (last === 'needs_response' || last === 'lost') withheld += amount
      }
      const named = reports.map((event, i) => Object.assign(event, { id: `evt_${id}_${i}` }))
      const shuffled = [...named, ...named]
        .map((event, i) => ({ event, by: seeds[i % seeds.length] ?? i }))
        .sort((a, b) => a.by - b.by)
        .map(({ event }) => event)
      for (let i = 0; i < shuffled.length; i += together) {
        const answers = await Promise.all(
          shuffled.slice(i, i + together).map((event) => billing.deliver(event)),
        )
        expect(answers.map(([status]) => status)).toEqual(answers.map(() => 200))
      }
      const pence = Math.min(1500, refunded + withheld)
      expect(await balance(session)).toBe(
        (20_000_000 - Math.floor((20_000_000 * pence) / 1500)) / 100_000,
      )
    },
  )
  await fc.assert(property, { numRuns: 30, interruptAfterTimeLimit: 60_000 })
}, 120_000)
