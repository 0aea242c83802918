import { describe, expect, it } from 'vitest'
import { checkoutOf } from '../support/billing/checkout.ts'
import { eventually } from '../support/clock/eventually.ts'
import {
  askForAgent,
  call,
  chat,
  newUser,
  runningAgent,
  stack,
  type TestUser,
} from '../support/stack/platform.ts'

const { billing, ask, press, control } = checkoutOf(stack)

const open = async (url: string) => (await fetch(url)).text()
const back = (how: string) =>
  `${stack().web.replace('127.0.0.1', 'localhost')}/dashboard?checkout=${how}`

const creditsOf = async (user: TestUser) =>
  (await call(`${stack().web}/api/settings`, { headers: user.session })).body.credits

const shown = async () =>
  (await control('GET', '')) as {
    sessions: { id: string; subscription: string; payment_intent: string }[]
    subscriptions: { id: string; status: string }[]
  }

/** Returns the session of a checkout page. */
async function sessionOf(url: string) {
  const session = (await shown()).sessions.find(({ id }) => url.endsWith(id))
  if (session === undefined) throw new Error(`${url} is not a checkout page`)
  return session
}

/** Creates a user who has paid for a plan, and waits until the platform has the plan. */
async function payer(plan = 'solo') {
  const user = await newUser()
  await press(await ask(user, { action: 'create-checkout', plan }), 'pay')
  await eventually(async () =>
    expect(await billing(user)).toMatchObject({ currentPlan: plan, subscriptionStatus: 'active' }),
  )
  return user
}

describe('with the stand-in checkout', () => {
  it('a newcomer signs up, pays for a plan and talks to an agent', async () => {
    const user = await newUser()
    expect((await askForAgent(user)).status).toBe(402)
    const url = await ask(user, { action: 'create-checkout', plan: 'solo' })
    const page = await open(url)
    expect(page).toContain('no money moves')
    expect(page).toMatch(/solo[^]*£79\.00 a month/i)
    expect(await press(url, 'pay')).toBe(back('success'))
    await eventually(async () =>
      expect(await billing(user)).toMatchObject({
        currentPlan: 'solo',
        subscriptionStatus: 'active',
      }),
    )
    const agentId = await runningAgent(user)
    const { status, body } = await chat(user, { agentId, message: 'Paid for' })
    expect(status).toBe(200)
    expect(body.reply).toContain('You said: Paid for')
  })

  it('Decline redirects without a grant', async () => {
    const user = await newUser()
    const url = await ask(user, { action: 'create-checkout', plan: 'solo' })
    expect(await press(url, 'decline')).toBe(back('cancelled'))
    expect(await billing(user)).toMatchObject({
      currentPlan: 'free',
      subscriptionStatus: 'inactive',
    })
    expect((await askForAgent(user)).status).toBe(402)
  })

  it('credits are paid for once and granted once', async () => {
    const user = await newUser()
    const url = await ask(user, { action: 'buy-credits', pack: '200' })
    expect(await open(url)).toContain('£15.00')
    await Promise.all([press(url, 'pay'), press(url, 'pay')])
    await eventually(async () => expect(await creditsOf(user)).toBe(200))
  })

  it('a refund withdraws the refunded credits', async () => {
    const user = await newUser()
    const url = await ask(user, { action: 'buy-credits', pack: '200' })
    await press(url, 'pay')
    await eventually(async () => expect(await creditsOf(user)).toBe(200))
    const { payment_intent: payment } = await sessionOf(url)
    await control('POST', `/payments/${payment}/refund`, { amount: 750 })
    await eventually(async () => expect(await creditsOf(user)).toBe(100))
    await control('POST', `/payments/${payment}/refund`)
    await eventually(async () => expect(await creditsOf(user)).toBe(0))
  })

  it('storage is paid for by the month', async () => {
    const user = await payer()
    const { body } = await call(`${stack().web}/api/stripe/storage-upgrade`, {
      method: 'POST',
      headers: user.session,
    })
    const url = String(body.url)
    expect(await open(url)).toMatch(/50 GB[^]*£39\.00 a month/)
    await press(url, 'pay')
    await eventually(async () => expect(await billing(user)).toMatchObject({ storageGb: 50 }))
    expect(await billing(user)).toMatchObject({ currentPlan: 'solo' })
  })

  it('one of two concurrent checkouts is kept, and the other is cancelled at the provider', async () => {
    const user = await newUser()
    const urls = [
      await ask(user, { action: 'create-checkout', plan: 'label' }),
      await ask(user, { action: 'create-checkout', plan: 'solo' }),
    ]
    for (const url of urls) await press(url, 'pay')
    const sessions = await Promise.all(urls.map(sessionOf))
    const statuses = async () => {
      const { subscriptions } = await shown()
      return sessions.map((one) => subscriptions.find(({ id }) => id === one.subscription)?.status)
    }
    await eventually(async () =>
      expect((await statuses()).toSorted()).toEqual(['active', 'canceled']),
    )
    // If both are paid within one second, the order of their ids decides.
    const holds = (await statuses())[0] === 'active' ? 'label' : 'solo'
    expect(await billing(user)).toMatchObject({
      currentPlan: holds,
      subscriptionStatus: 'active',
    })
  })

  it('a subscriber is redirected to the portal, to change and cancel the plan', async () => {
    const user = await payer('solo')
    const portal = await ask(user, { action: 'create-checkout', plan: 'network' })
    const page = await open(portal)
    expect(page).toContain('Your subscriptions')
    const form = (verb: string) => {
      const [, action = ''] = new RegExp(`action="([^"]+/${verb})"`).exec(page) ?? []
      return new URL(action, portal)
    }
    const body = new URLSearchParams({ name: 'Collective', price: '199.00' })
    await fetch(form('change'), { method: 'POST', body })
    await eventually(async () =>
      expect(await billing(user)).toMatchObject({ currentPlan: 'collective' }),
    )
    await fetch(form('fail'), { method: 'POST' })
    await eventually(async () =>
      expect(await billing(user)).toMatchObject({ subscriptionStatus: 'past_due' }),
    )
    expect((await askForAgent(user)).status).toBe(402)
    await fetch(form('cancel'), { method: 'POST' })
    await eventually(async () =>
      expect(await billing(user)).toMatchObject({
        currentPlan: 'collective',
        subscriptionStatus: 'canceled',
      }),
    )
  })
})
