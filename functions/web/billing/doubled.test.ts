import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { deliveryRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import {
  completed,
  sessionOf,
  subscriptionEvent,
  subscriptionOf,
} from '#tests/support/billing/payment-events.ts'
import { webhookEndpoints } from '#tests/support/tools/webhook-endpoints.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterEach(() => {
  billing.provider.behave(undefined)
  vi.restoreAllMocks()
})
afterAll(() => billing.close())

const at = Math.floor(Date.now() / 1000) - 1000
const refundsOf = (session: Record<string, unknown>) =>
  [...billing.provider.refunds.values()].filter((id) => id === `pi_of_${String(session.invoice)}`)

/** Returns the events for a user's webhook endpoints. */
async function toldOf(userId: string) {
  const { items } = await billing.table.query({
    pk: `user#${userId}`,
    beginsWith: deliveryRows.prefix(),
  })
  const texts = items.map((item) => deliveryRows.parse(item).text)
  return texts.map((text) => JSON.parse(text) as { type: string; data: Record<string, unknown> })
}

/** Creates a user with two open checkouts, in the provider's form after both are paid. */
async function twice(kind: 'plan' | 'storage' = 'plan') {
  const user = await billing.newUser()
  const action = { action: 'create-checkout', plan: 'solo' }
  const body = kind === 'plan' ? action : {}
  const [first, second] = [
    sessionOf(await billing.order(user.session, body)),
    sessionOf(await billing.order(user.session, body)),
  ]
  for (const { subscription: id } of [first, second])
    billing.provider.subscriptions.set(String(id), { id })
  return { ...user, first, second }
}

describe('of two paid checkouts', () => {
  it.each([
    ['a plan', 'plan', 'subscription.changed', false],
    ['a plan, reported in reverse order', 'plan', 'subscription.changed', true],
    ['storage', 'storage', 'storage.changed', false],
  ] as const)(
    'the one that does not hold the plan is refunded once: %s',
    async (_, kind, action, isLate) => {
      const { id, session, first, second } = await twice(kind)
      const hooks = webhookEndpoints(billing.table)
      await hooks.create(session, 'https://example.com/', ['subscription.changed'])
      const events = [completed(first, at), completed(second, at + 1)]
      for (const event of isLate ? events.toReversed() : events) await billing.deliver(event)
      await billing.cancelUnwanted(id)
      await billing.cancelUnwanted(id)
      expect([refundsOf(first), refundsOf(second)].map((made) => made.length)).toEqual([1, 0])
      expect([
        billing.cancels(first.subscription),
        billing.cancels(second.subscription),
      ]).toMatchObject([[{}], []])
      const [paidBack, ...others] = (await auditOf(billing.table, id)).filter(({ target }) =>
        String(target).startsWith('ord_'),
      )
      expect(paidBack).toMatchObject({ action, actor: 'provider' })
      expect(others).toEqual([])
      const reports = await toldOf(id)
      const refunds = reports.filter(({ data }) => 'refundedOrderId' in data)
      const refund = { refundedOrderId: paidBack?.target, plan: 'solo', status: 'active' }
      expect(refunds).toMatchObject(kind === 'plan' ? [{ data: refund }] : [])
    },
  )

  it('no trial is refunded, nor a payment that the provider does not know', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { id, first, second } = await twice()
    const trial = { ...first, payment_status: 'no_payment_required', amount_total: 0 }
    await billing.deliver(completed(trial, at))
    await billing.deliver(completed(second, at + 1))
    await billing.cancelUnwanted(id)
    expect(refundsOf(first)).toEqual([])
    const other = await twice()
    await billing.deliver(completed({ ...other.first, invoice: undefined }, at))
    await billing.deliver(completed(other.second, at + 1))
    await billing.cancelUnwanted(other.id)
    await billing.cancelUnwanted(other.id)
    const log = JSON.stringify(lines.mock.calls)
    expect(log.split('the provider has no payment to refund')).toHaveLength(2)
  })

  it('a payment that ended before the other order is not refunded', async () => {
    const { id, session } = await billing.newUser()
    const order = () => billing.order(session, { action: 'create-checkout', plan: 'solo' })
    const first = sessionOf(await order())
    await billing.deliver(completed(first, at))
    const over = subscriptionOf(first.subscription, 'canceled', 7900)
    await billing.deliver(subscriptionEvent('deleted', over, at + 1))
    await billing.deliver(completed(sessionOf(await order()), at + 2))
    await billing.cancelUnwanted(id)
    expect(refundsOf(first)).toEqual([])
  })

  it.each([429, 500, 503])(
    'the other is refunded once the provider responds again: %i',
    async (status) => {
      const { id, first, second } = await twice()
      await billing.deliver(completed(first, at))
      await billing.deliver(completed(second, at + 1))
      billing.provider.behave(status)
      await expect(billing.cancelUnwanted(id)).rejects.toMatchObject({ kind: 'bad-gateway' })
      // It is still due after the message is given up.
      const due = await billing.table.get({ pk: `user#${id}`, sk: 'entitlement' })
      expect(due).toMatchObject({ gsi1pk: expect.any(String) })
      billing.provider.behave(undefined)
      await billing.cancelUnwanted(id)
      expect(refundsOf(first)).toHaveLength(1)
      expect(billing.provider.subscriptions.has(String(first.subscription))).toBe(false)
    },
  )
})

it('a second payment of one order is cancelled and refunded', async () => {
  const { id, session } = await billing.newUser()
  const order = await billing.order(session, { action: 'create-checkout', plan: 'solo' })
  const orderId = order.form['metadata[order]']
  // The provider has forgotten the first session by the time of the retry, and creates another.
  const later = `cs_later_${randomUUID()}`
  await billing.table.put({ pk: `checkout#${later}`, sk: 'checkout', orderId })
  await billing.table.update({ pk: `order#${orderId}`, sk: 'order' }, { set: { sessionId: later } })
  const [first, second] = [sessionOf(order), sessionOf({ ...order, sessionId: later })]
  for (const paid of [first, second]) {
    billing.provider.subscriptions.set(String(paid.subscription), { id: paid.subscription })
    await billing.deliver(completed(paid, at))
    await billing.deliver(completed(paid, at))
  }
  await billing.cancelUnwanted(id)
  const [, shown] = await billing.web('GET', '/api/billing', { session })
  expect(shown).toMatchObject({ currentPlan: 'solo', subscriptionStatus: 'active' })
  expect([refundsOf(first), refundsOf(second)].map((made) => made.length)).toEqual([0, 1])
  expect([billing.cancels(first.subscription), billing.cancels(second.subscription)]).toMatchObject(
    [[], [{}]],
  )
})

const seeds = Array.from({ length: 30 }, (_, seed) => seed + 1)

it.each(seeds)('each due refund is made once, even if processes are killed (%i)', async (seed) => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const { id, first, second } = await twice()
  await billing.deliver(completed(first, at))
  await billing.deliver(completed(second, at + 1))
  const reach = lifeOf(randomFrom(seed), true)
  const { table, provider } = billing.services
  if (provider === undefined) throw new Error('the tests have a provider')
  const doomed = { table: reach(table), provider: reach(provider) }
  await billing.cancelUnwanted(id, doomed).catch(() => {})
  await Promise.all([billing.cancelUnwanted(id), billing.cancelUnwanted(id)])
  expect(refundsOf(first)).toHaveLength(1)
  expect(refundsOf(second)).toHaveLength(0)
  const entries = await auditOf(billing.table, id)
  expect(entries.filter(({ target }) => String(target).startsWith('ord_'))).toHaveLength(1)
})
