import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Log } from '#shared/platform/log.ts'
import { createLog } from '#shared/platform/log.ts'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import { completed, sessionOf, subscriptionOf } from '#tests/support/billing/payment-events.ts'
import type { PaymentProvider } from '../provider.ts'
import { reconcile } from './reconcile.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

/** The provider's subscriptions by id. */
const there = new Map<string, Record<string, unknown>>()

/** Lists three subscriptions at a time, so that there are several pages. */
const provider: Pick<PaymentProvider, 'subscriptions' | 'findSubscription'> = {
  async subscriptions(after) {
    const all = [...there.values()]
    const from = after === undefined ? 0 : [...there.keys()].indexOf(after) + 1
    return { items: all.slice(from, from + 3), hasMore: all.length > from + 3 }
  },
  findSubscription: async (id) => there.get(id),
}

/** @returns each difference as a string */
async function differences(): Promise<string[]> {
  const found: string[] = []
  const warn: Log['warn'] = (_, fields) => {
    const { difference, subscriptionId, userId, here, there: said } = fields ?? {}
    found.push([difference, subscriptionId, userId, here, said].join(' '))
  }
  const log = { ...createLog({ function: 'test' }), warn }
  const whole = { ...billing.services.provider, ...provider } as PaymentProvider
  const result = await reconcile({ table: billing.table, log, provider: whole })
  expect(result).toEqual({ subscriptions: there.size, differences: found.length })
  return found.toSorted()
}

const plants = ['none', 'lost', 'status', 'over', 'price', 'missed', 'given', 'foreign'] as const

/**
 * Creates a user who has paid for the solo plan, with a fault.
 * @returns the expected differences
 */
async function plant(fault: (typeof plants)[number]): Promise<string[]> {
  const { id: userId, session } = await billing.newUser()
  if (fault === 'given') {
    const subscriptionId = `sub_given_${userId}`
    await billing.subscribe({ userId, plan: 'solo', subscriptionId })
    return []
  }
  const order = await billing.order(session, { action: 'create-checkout', plan: 'solo' })
  const paid = sessionOf(order)
  const id = String(paid.subscription)
  const metadata = {
    order: fault === 'foreign' ? 'ord_of_another_shop' : order.form['metadata[order]'],
  }
  const put = (status: string, pence = 7900) =>
    there.set(id, subscriptionOf(id, status, pence, { metadata }))
  put('active')
  if (fault === 'foreign') return []
  if (fault === 'missed') return [`not-held ${id} ${userId}  active`]
  expect((await billing.deliver(completed(paid)))[0]).toBe(200)
  switch (fault) {
    case 'lost':
      there.delete(id)
      return [`unknown ${id} ${userId} active `]
    case 'status':
      put('past_due')
      return [`status ${id} ${userId} active past_due`]
    case 'over':
      put('canceled')
      return [`status ${id} ${userId} active canceled`]
    case 'price':
      put('active', 19_900)
      return [`price ${id} ${userId} solo 19900 pence`]
    case 'none':
      return []
  }
}

it('exactly the created differences are reported', async () => {
  const planted: string[] = []
  const faults = fc.array(fc.constantFrom(...plants), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(faults, async (some) => {
      for (const fault of some) planted.push(...(await plant(fault)))
      expect(await differences()).toEqual(planted.toSorted())
    }),
    // Faults accumulate over the runs, so a failed case cannot be shrunk.
    { numRuns: 8, endOnFailure: true, examples: [[[...plants]]] },
  )
})

it('a subscription that is about to be cancelled is not a difference', async () => {
  const before = await differences()
  const { session } = await billing.newUser()
  const orders = [
    await billing.order(session, { action: 'create-checkout', plan: 'solo' }),
    await billing.order(session, { action: 'create-checkout', plan: 'solo' }),
  ]
  for (const [i, order] of orders.entries()) {
    const paid = sessionOf(order)
    const id = String(paid.subscription)
    const metadata = { order: order.form['metadata[order]'] }
    there.set(id, subscriptionOf(id, 'active', 7900, { metadata }))
    expect((await billing.deliver(completed(paid, 1_800_000_000 + i)))[0]).toBe(200)
  }
  expect(await differences()).toEqual(before)
})

it('without the provider’s key, no comparison runs', async () => {
  const log = createLog({ function: 'test' })
  const result = await reconcile({ table: billing.table, log, provider: undefined })
  expect(result).toEqual({ subscriptions: 0, differences: 0 })
})
