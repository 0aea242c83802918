import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import { clientOfProvider } from '#tests/support/billing/payment-provider.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { routes } from '../billing.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterEach(() => {
  billing.provider.behave(undefined)
  vi.useRealTimers()
})
afterAll(() => billing.close())

const sessions = 'POST /v1/checkout/sessions'
const portals = 'POST /v1/billing_portal/sessions'
const lastForm = (call = sessions) => billing.provider.callsOf(call).at(-1)?.form ?? {}
const count = (call = sessions) => billing.provider.callsOf(call).length
const act = (session: string, body: unknown, headers = {}) =>
  billing.web('POST', '/api/billing', { session, body, headers })
const solo = { action: 'create-checkout', plan: 'solo' }

const leadsBack = {
  success_url: 'http://localhost:3000/dashboard?checkout=success',
  cancel_url: 'http://localhost:3000/dashboard?checkout=cancelled',
}
const monthly = { 'line_items[0][price_data][recurring][interval]': 'month' }
const priceOf = (pence: number) => ({
  'line_items[0][quantity]': '1',
  'line_items[0][price_data][currency]': 'gbp',
  'line_items[0][price_data][unit_amount]': String(pence),
})

describe('a checkout at the provider', () => {
  it.each([
    ['label', 2900],
    ['solo', 7900],
    ['collective', 19_900],
    ['network', 49_900],
  ])('a checkout of %s is a subscription, per month in pence: %i', async (plan, pence) => {
    const { id, session } = await billing.newUser()
    const [status, { url }] = await act(session, { ...solo, plan })
    expect(status).toBe(200)
    expect(url).toMatch(`${billing.provider.origin}/pay/cs_test_`)
    const form = lastForm()
    expect(form).toMatchObject({
      mode: 'subscription',
      client_reference_id: id,
      ...leadsBack,
      ...priceOf(pence),
      ...monthly,
      'subscription_data[metadata][order]': form['metadata[order]'],
    })
    expect(form['metadata[order]']).toMatch(/^ord_[0-9a-z]{26}$/)
    expect(Object.keys(form).filter((name) => name.startsWith('line_items[1]'))).toEqual([])
  })

  it.each([
    ['50', 500],
    [200, 1500],
    ['500', 3000],
  ])('a checkout of %s credits is a single payment: %i', async (pack, pence) => {
    const { id, session } = await billing.newUser()
    const [status] = await act(session, { action: 'buy-credits', pack })
    expect(status).toBe(200)
    const form = lastForm()
    expect(form).toMatchObject({
      mode: 'payment',
      client_reference_id: id,
      ...leadsBack,
      ...priceOf(pence),
    })
    expect(Object.keys(form)).not.toContain(Object.keys(monthly)[0])
  })

  it('a checkout of storage is refused with the reason if the setting is off', async () => {
    const { session } = await billing.newUser()
    const off = billing.startProcess({ sellsStorage: false })
    const orders = count()
    expect(await off.web('POST', '/api/stripe/storage-upgrade', { session })).toEqual([
      503,
      {
        error: 'This deployment does not sell storage',
        missing: ['STORAGE_UPGRADES'],
      },
    ])
    expect(count()).toBe(orders)
  })

  it('a checkout of storage is a subscription of 39 pounds a month', async () => {
    const { id, session } = await billing.newUser()
    const [status] = await billing.web('POST', '/api/stripe/storage-upgrade', { session })
    expect(status).toBe(200)
    expect(lastForm()).toMatchObject({
      mode: 'subscription',
      client_reference_id: id,
      ...leadsBack,
      ...priceOf(3900),
      ...monthly,
    })
  })

  it('is created with the platform’s key, and once for one Idempotency-Key', async () => {
    const { session } = await billing.newUser()
    const before = count()
    const headers = { 'idempotency-key': 'one-click' }
    const first = await act(session, solo, headers)
    expect(await act(session, solo, headers)).toEqual(first)
    expect(count()).toBe(before + 1)
    expect(billing.provider.callsOf(sessions).at(-1)?.headers).toMatchObject({
      authorization: 'Bearer sk_test_of_the_tests',
      'idempotency-key': lastForm()['metadata[order]'],
      'stripe-version': '2026-10-28.endive',
    })
  })

  it('a checkout whose response was lost is found again by the same Idempotency-Key', async () => {
    const { session } = await billing.newUser()
    const headers = { 'idempotency-key': 'lost' }
    billing.provider.behave(500)
    expect((await act(session, solo, headers))[0]).toBe(502)
    const order = lastForm()['metadata[order]']
    billing.provider.behave(undefined)
    expect((await act(session, solo, headers))[0]).toBe(200)
    expect(lastForm()['metadata[order]']).toBe(order)
  })
})

describe('a link to a checkout', () => {
  const open = async (path: string, session?: string) => {
    const answer = await billing.call('GET', path, session === undefined ? {} : { session })
    return [answer.status, answer.headers.get('location') ?? (await answer.json())]
  }

  it('redirects to the provider’s page', async () => {
    const { id, session } = await billing.newUser()
    const page = expect.stringContaining(`${billing.provider.origin}/pay/`)
    expect(await open('/api/payments/checkout?plan=collective', session)).toEqual([303, page])
    expect(lastForm()).toMatchObject({ client_reference_id: id, ...priceOf(19_900) })
    expect(await open('/api/payments/credits?price=200', session)).toEqual([303, page])
    expect(lastForm()).toMatchObject({ mode: 'payment', ...priceOf(1500) })
  })

  it.each([
    '/api/payments/checkout',
    '/api/payments/checkout?plan=free',
    '/api/payments/checkout?plan=solo&plan=label',
    '/api/payments/credits',
    '/api/payments/credits?price=51',
    '/api/payments/credits?price=50.0',
  ])('must name an offer: %s', async (path) => {
    const { session } = await billing.newUser()
    const before = count()
    expect((await open(path, session))[0]).toBe(400)
    expect(count()).toBe(before)
  })

  it('requires a session', async () => {
    expect((await open('/api/payments/checkout?plan=solo'))[0]).toBe(401)
    expect((await open('/api/payments/credits?price=50'))[0]).toBe(401)
  })
})

it('counts with the form against one limit: 60 checkouts a minute', async () => {
  const { session } = await billing.newUser()
  const limited = callerOf({ routes }, billing.services, [], 'on')
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 })
  const before = count()
  const ask = (n: number) =>
    n % 2 === 0
      ? limited('POST', '/api/billing', { session, body: solo })
      : limited('GET', '/api/payments/checkout?plan=solo', { session })
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(n)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 303]))
  for (const n of [0, 1]) {
    const refused = await ask(n)
    expect(refused.status).toBe(429)
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'ratelimit-limit': '60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '60',
    })
  }
  expect(count()).toBe(before + 60)
})

describe('a subscriber', () => {
  const holding = (status: string) => ({
    plan: 'solo',
    subscription: { id: 'sub_held', status, customerId: 'cus_held' },
  })

  it.each(['active', 'trialing', 'past_due'])(
    'is redirected to the customer portal while the subscription is %s',
    async (status) => {
      const { id, session } = await billing.newUser()
      await billing.give(id, holding(status))
      const before = count()
      const portal = `${billing.provider.origin}/portal`
      expect(await act(session, { ...solo, plan: 'network' })).toEqual([200, { url: portal }])
      expect(lastForm(portals)).toEqual({
        customer: 'cus_held',
        return_url: 'http://localhost:3000/dashboard',
      })
      const link = await billing.call('GET', '/api/payments/checkout?plan=solo', { session })
      expect([link.status, link.headers.get('location')]).toEqual([303, portal])
      expect(count()).toBe(before)
    },
  )

  it.each(['canceled', 'inactive'])(
    'gets a new checkout once the subscription is %s',
    async (status) => {
      const { id, session } = await billing.newUser()
      await billing.give(id, holding(status))
      const before = count()
      expect((await act(session, solo))[0]).toBe(200)
      expect(count()).toBe(before + 1)
    },
  )

  it('is found at the provider if only the subscription is known', async () => {
    const { id, session } = await billing.newUser()
    await billing.subscribe({ userId: id, plan: 'solo', subscriptionId: 'sub_known' })
    billing.provider.subscriptions.set('sub_known', {
      id: 'sub_known',
      object: 'subscription',
      status: 'active',
      customer: 'cus_found',
    })
    expect((await act(session, solo))[0]).toBe(200)
    expect(lastForm(portals)).toMatchObject({ customer: 'cus_found' })
  })

  it('gets a checkout if the provider does not know a plan from a trusted caller', async () => {
    const { id, session } = await billing.newUser()
    await billing.subscribe({ userId: id, plan: 'solo', subscriptionId: 'sub_of_elsewhere' })
    const [, { url }] = await act(session, solo)
    expect(url).toContain('/pay/')
  })

  it('can buy credits', async () => {
    const { id, session } = await billing.newUser()
    await billing.give(id, holding('active'))
    const [, { url }] = await act(session, { action: 'buy-credits', pack: 50 })
    expect(url).toContain('/pay/')
  })
})

describe('a customer whom the provider no longer knows', () => {
  it.each(['active', 'canceled'])(
    'gets a checkout as a new customer, if the plan is %s',
    async (status) => {
      const { id, session } = await billing.newUser()
      const customerId = `cus_${id}`
      await billing.give(id, {
        plan: 'solo',
        subscription: { id: 'sub_gone', status, customerId, since: 1, orderId: 'ord_1' },
      })
      billing.provider.gone.add(customerId)
      const [code, { url }] = await act(session, solo)
      expect([code, url]).toEqual([200, expect.stringContaining('/pay/')])
      expect(lastForm()).not.toHaveProperty('customer')
      billing.provider.gone.delete(customerId)
      if (status === 'canceled') {
        await act(session, solo)
        expect(lastForm()).toMatchObject({ customer: customerId })
      }
    },
  )
})

describe('if the provider fails', () => {
  it.each([429, 500, 503, 401, 400])('returns 502 if the provider answers %i', async (status) => {
    const { session } = await billing.newUser()
    billing.provider.behave(status)
    expect(await act(session, solo)).toEqual([
      502,
      { error: 'The payment provider did not answer as expected' },
    ])
  })

  it('returns 502 before the function times out if the provider does not respond', async () => {
    const { session } = await billing.newUser()
    billing.provider.behave('silent')
    expect((await act(session, solo))[0]).toBe(502)
  }, 29_000)

  it('returns 502 if the provider is unavailable', async () => {
    const { session } = await billing.newUser()
    const nowhere = billing.startProcess({ provider: clientOfProvider('http://127.0.0.1:1') })
    const [status] = await nowhere.web('POST', '/api/billing', { session, body: solo })
    expect(status).toBe(502)
  })
})
