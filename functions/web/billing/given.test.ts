import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
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

const at = Math.floor(Date.now() / 1000) - 1000
const newId = () => `sub_${randomUUID()}`

/** Creates a user who has paid for solo at the provider. */
async function payer() {
  const user = await billing.newUser()
  const paid = sessionOf(
    await billing.order(user.session, { action: 'create-checkout', plan: 'solo' }),
  )
  await billing.deliver(completed(paid, at))
  const id = String(paid.subscription)
  billing.provider.subscriptions.set(id, { id })
  return { ...user, paid: id }
}

describe('a plan that a trusted caller gives', () => {
  it('cancels the previous paid subscription, once', async () => {
    const { id: userId, session, paid } = await payer()
    const subscriptionId = newId()
    await billing.told()
    expect(await billing.subscribe({ userId, plan: 'network', subscriptionId })).toBe(200)
    expect(await billing.told()).toEqual([userId])
    await billing.cancelUnwanted(userId)
    await billing.cancelUnwanted(userId)
    expect(billing.cancels(paid)).toHaveLength(1)
    expect(billing.cancels(subscriptionId)).toHaveLength(0)
    const over = subscriptionOf(paid, 'canceled', 7900)
    await billing.deliver(subscriptionEvent('deleted', over))
    expect(await billing.see(session)).toMatchObject({
      currentPlan: 'network',
      subscriptionStatus: 'active',
    })
  })

  it('does not cancel the subscription that the caller names, and keeps its payment', async () => {
    const { id: userId, paid } = await payer()
    await billing.subscribe({ userId, plan: 'network', subscriptionId: paid })
    await billing.cancelUnwanted(userId)
    expect(billing.cancels(paid)).toHaveLength(0)
    const { subscription } = await billing.record(userId)
    expect(subscription.orderId).toMatch(/^ord_/)
  })

  it('cancels a subscription from a trusted caller, if the provider has reported it', async () => {
    const { id: userId } = await billing.newUser()
    const [known, elsewhere, last] = [newId(), newId(), newId()]
    await billing.subscribe({ userId, plan: 'solo', subscriptionId: known })
    await billing.deliver(subscriptionEvent('created', subscriptionOf(known, 'active', 7900), at))
    await billing.subscribe({ userId, plan: 'solo', subscriptionId: elsewhere })
    await billing.subscribe({ userId, plan: 'solo', subscriptionId: last })
    await billing.cancelUnwanted(userId)
    expect([known, elsewhere, last].map((id) => billing.cancels(id).length)).toEqual([1, 0, 0])
  })

  it('ends if the provider reports its end, before, after or at the same time', async () => {
    for (let round = 0; round < 12; round++) {
      const { id: userId, session } = await billing.newUser()
      const subscriptionId = newId()
      const over = subscriptionOf(subscriptionId, 'canceled', 7900)
      const steps = [
        () => billing.subscribe({ userId, plan: 'solo', subscriptionId }),
        () => billing.deliver(subscriptionEvent('deleted', over, at)),
      ]
      if (round % 3 === 1) steps.reverse()
      if (round % 3 === 2) await Promise.all(steps.map((step) => step()))
      else for (const step of steps) await step()
      expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'canceled' })
      // A late repeat restores nothing.
      await billing.subscribe({ userId, plan: 'solo', subscriptionId })
      expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'canceled' })
    }
  })
})

it('a subscription of more users than one event updates is reported', async () => {
  const subscriptionId = newId()
  const users = await Promise.all(Array.from({ length: 22 }, () => billing.newUser()))
  for (const { id: userId } of users)
    await billing.subscribe({ userId, plan: 'solo', subscriptionId })
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
  const late = subscriptionOf(subscriptionId, 'past_due', 7900)
  await billing.deliver(subscriptionEvent('updated', late))
  const log = JSON.stringify(lines.mock.calls)
  lines.mockRestore()
  const states = await Promise.all(
    users.map(async ({ session }) => (await billing.see(session)).subscriptionStatus),
  )
  expect(states.filter((status) => status === 'past_due')).toHaveLength(20)
  expect(log).toContain('a subscription has more users than one event changes')
})
