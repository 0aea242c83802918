import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { type Billing, startBilling, webhookSecret } from '#tests/support/billing/billing.ts'
import { completed, sessionOf } from '#tests/support/billing/payment-events.ts'
import { signatureOf } from '#tests/support/billing/payment-provider.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const received = [200, { received: true }]
const solo = { action: 'create-checkout', plan: 'solo' }
const pack = { action: 'buy-credits', pack: 200 }
const now = () => Math.floor(Date.now() / 1000)

async function buyer(body: Record<string, unknown> = solo) {
  const user = await billing.newUser()
  return { ...user, order: await billing.order(user.session, body) }
}

const credits = async (session: string) =>
  (await billing.web('GET', '/api/credits', { session }))[1].credits

describe('a payment grants', () => {
  it('a payment grants a plan', async () => {
    const { id, session, order } = await buyer()
    const paid = sessionOf(order)
    expect(await billing.deliver(completed(paid))).toEqual(received)
    expect(await billing.see(session)).toMatchObject({
      currentPlan: 'solo',
      subscriptionStatus: 'active',
    })
    expect((await billing.read(id))?.subscription).toMatchObject({
      id: paid.subscription,
      customerId: paid.customer,
    })
    expect(await billing.told()).toEqual([id])
    expect(await auditOf(billing.table, id)).toMatchObject([
      { action: 'account.created' },
      { action: 'subscription.changed', actor: 'provider', target: paid.subscription },
    ])
  })

  it('a payment grants credits', async () => {
    const { id, session, order } = await buyer(pack)
    expect(await billing.deliver(completed(sessionOf(order)))).toEqual(received)
    expect(await credits(session)).toBe(200)
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'free' })
    expect(await auditOf(billing.table, id)).toMatchObject([
      { action: 'account.created' },
      { action: 'credits.granted', actor: 'provider' },
    ])
  })

  it('a payment grants storage', async () => {
    const { id, session, order } = await buyer({})
    expect(await billing.see(session)).toMatchObject({ storageGb: 0 })
    expect(await billing.deliver(completed(sessionOf(order)))).toEqual(received)
    expect(await billing.see(session)).toMatchObject({
      storageGb: 50,
      currentPlan: 'free',
      subscriptionStatus: 'inactive',
    })
    expect(await auditOf(billing.table, id)).toMatchObject([
      { action: 'account.created' },
      { action: 'storage.changed', actor: 'provider' },
    ])
    const off = billing.startProcess({ sellsStorage: false })
    const storage = await off.web('POST', '/api/stripe/storage-upgrade', { session })
    expect(storage).toEqual([200, { url: `${billing.provider.origin}/portal` }])
  })

  it('a payment grants its order even if the event contains little more than the session’s id', async () => {
    const { session, order } = await buyer(pack)
    await billing.deliver(completed({ id: order.sessionId, payment_status: 'paid' }))
    expect(await credits(session)).toBe(200)
  })

  it('a payment grants its order even if the process was killed before it stored the session', async () => {
    const { session, order } = await buyer(pack)
    const paid = sessionOf(order)
    await billing.table.delete({ pk: `checkout#${order.sessionId}`, sk: 'checkout' })
    await billing.deliver(completed(paid))
    expect(await credits(session)).toBe(200)
  })

  it('a payment grants its order later, if the payment takes days', async () => {
    const { session, order } = await buyer(pack)
    const paid = sessionOf(order)
    await billing.deliver(completed({ ...paid, payment_status: 'unpaid' }))
    expect(await credits(session)).toBe(0)
    await billing.deliver({ type: 'checkout.session.async_payment_succeeded', object: paid })
    expect(await credits(session)).toBe(200)
  })
})

describe('a payment is granted once', () => {
  it('a payment is granted once for a repeated event, and each delivery is acknowledged', async () => {
    const { id, session, order } = await buyer(pack)
    await billing.told()
    const event = { ...completed(sessionOf(order)), id: `evt_${randomUUID()}` }
    for (let i = 0; i < 3; i++) expect(await billing.deliver(event)).toEqual(received)
    expect(await credits(session)).toBe(200)
    // If the process died after the commit, the repeated event sends the message to the job.
    expect(await billing.told()).toEqual([id, id, id])
  })

  it('a payment is granted once for two events of one session', async () => {
    const { session, order } = await buyer(pack)
    const paid = sessionOf(order)
    await billing.deliver(completed(paid))
    await billing.deliver({ type: 'checkout.session.async_payment_succeeded', object: paid })
    expect(await credits(session)).toBe(200)
  })

  it('a payment is granted once for many concurrent events', async () => {
    const { session, order } = await buyer(pack)
    const paid = completed(sessionOf(order))
    const answers = await Promise.all(Array.from({ length: 8 }, () => billing.deliver(paid)))
    expect(answers).toEqual(Array.from({ length: 8 }, () => received))
    expect(await credits(session)).toBe(200)
  })

  it('per session, so twice for two sessions', async () => {
    const { session, order } = await buyer(pack)
    const second = await billing.order(session, pack)
    await Promise.all([order, second].map((one) => billing.deliver(completed(sessionOf(one)))))
    expect(await credits(session)).toBe(400)
  })
})

describe('nothing is granted', () => {
  const expectNothing = async (session: string) => {
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'free', storageGb: 0 })
    expect(await credits(session)).toBe(0)
  }

  it.each([
    ['was not paid', { payment_status: 'unpaid' }],
    ['has no payment status', { payment_status: undefined }],
    ['has a smaller amount', { amount_total: 100 }],
    ['has a larger amount', { amount_total: 990_000 }],
    ['has another currency', { currency: 'usd' }],
    ['has another mode', { mode: 'setup' }],
    ['belongs to another user', { client_reference_id: 'usr_other' }],
  ])('nothing is granted for a session that %s', async (_, given) => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    for (const body of [solo, pack, {}]) {
      const { session, order } = await buyer(body)
      expect(await billing.deliver(completed(sessionOf(order, given)))).toEqual(received)
      await expectNothing(session)
    }
    const warned = JSON.stringify(lines.mock.calls).includes('a payment does not match its order')
    lines.mockRestore()
    expect(warned).toBe(!('payment_status' in given))
  })

  it('nothing is granted for a pack without a price', async () => {
    const { session, order } = await buyer(pack)
    const free = { payment_status: 'no_payment_required', amount_total: 0 }
    await billing.deliver(completed(sessionOf(order, free)))
    await expectNothing(session)
  })

  it('nothing is granted for a session that the platform did not create', async () => {
    const { id, session, order } = await buyer()
    const foreign = { client_reference_id: id, metadata: {}, id: 'cs_of_another_shop' }
    await billing.deliver(completed(sessionOf(order, foreign)))
    await billing.deliver(completed(sessionOf(order, { ...foreign, metadata: undefined })))
    await expectNothing(session)
  })

  it('nothing is granted for a session with the order of another one', async () => {
    const { session, order } = await buyer()
    await billing.deliver(completed(sessionOf(order, { id: 'cs_of_another_shop' })))
    await expectNothing(session)
  })

  it('nothing is granted to another user than the session’s', async () => {
    const [mine, theirs] = [await buyer(), await buyer()]
    const metadata = { order: theirs.order.form['metadata[order]'] }
    await billing.deliver(completed(sessionOf(mine.order, { metadata })))
    expect(await billing.see(mine.session)).toMatchObject({ currentPlan: 'solo' })
    await expectNothing(theirs.session)
  })

  it('nothing is granted to a deleted user', async () => {
    const { id, order } = await buyer()
    await billing.table.delete({ pk: `user#${id}`, sk: 'profile' })
    expect(await billing.deliver(completed(sessionOf(order)))).toEqual(received)
    expect(await billing.read(id)).toBeUndefined()
  })

  it('nothing is granted for an event of another shop’s account', async () => {
    const { session, order } = await buyer()
    const event = { id: `evt_${randomUUID()}`, created: now(), type: 'checkout.session.completed' }
    const data = { object: sessionOf(order) }
    const signed = (given: object) => billing.receive(JSON.stringify({ ...event, data, ...given }))
    expect(await signed({ account: 'acct_of_another' })).toEqual(received)
    await expectNothing(session)
    expect(await signed({})).toEqual(received)
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'solo' })
  })

  it.each(['invoice.paid', 'checkout.session.expired', 'constructor', ''])(
    'nothing is granted for an event of another type: %s',
    async (type) => {
      const { session, order } = await buyer()
      expect(await billing.deliver({ type, object: sessionOf(order) })).toEqual(received)
      await expectNothing(session)
    },
  )

  it.each([
    ['checkout.session.completed', {}],
    ['checkout.session.completed', { id: 7 }],
    ['customer.subscription.updated', {}],
    ['customer.subscription.updated', { id: 'sub_1', status: 'brand-new' }],
    ['charge.refunded', { payment_intent: {} }],
    ['charge.refunded', { payment_intent: 'pi_1', amount_refunded: 1e-200 }],
    ['invoice.paid', { amount_paid: 500, subscription: 'a'.repeat(3000) }],
    ['checkout.session.completed', { id: 'cs_1', metadata: { order: 'a'.repeat(3000) } }],
  ])('nothing is granted for an invalid event: %s %j', async (type, object) => {
    expect(await billing.deliver({ type, object })).toEqual(received)
  })
})

describe('a signature', () => {
  const refused = [400, { error: 'The signature is not valid' }]
  const bodyOf = (object: Record<string, unknown>) =>
    JSON.stringify({ id: 'evt_signed', created: now(), ...completed(object), data: { object } })

  it.each([
    ['is missing', () => ''],
    ['is empty', () => 't=,v1='],
    ['is not a signature', () => 'secret'],
    ['has another secret', (body: string) => signatureOf('whsec_of_another', body)],
    ['has another body', (body: string) => signatureOf(webhookSecret, `${body} `)],
    ['is older than 5 minutes', (body: string) => signatureOf(webhookSecret, body, now() - 301)],
    ['is from the future', (body: string) => signatureOf(webhookSecret, body, now() + 310)],
    [
      'has another time than the signed one',
      (body: string) =>
        signatureOf(webhookSecret, body, now() - 400).replace(/t=\d+/, `t=${now()}`),
    ],
    ['has another scheme', (body: string) => signatureOf(webhookSecret, body).replace('v1', 'v0')],
  ])('a signature that %s is rejected', async (_, signature) => {
    const { session, order } = await buyer()
    const body = bodyOf(sessionOf(order))
    expect(await billing.receive(body, signature(body))).toEqual(refused)
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'free' })
  })

  it('may be one of several, as during a rotation of the secret', async () => {
    const { session, order } = await buyer()
    const body = bodyOf(sessionOf(order))
    const signature = signatureOf(webhookSecret, body).replace('v1=', `v1=${'0'.repeat(64)},v1=`)
    expect(await billing.receive(body, signature)).toEqual(received)
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'solo' })
  })

  it.each(['', '[]', '"x"', '{}', '{"id":"evt_1","type":"charge.refunded"}', '{"id":'])(
    'does not make %j an event',
    async (body) => {
      expect((await billing.receive(body))[0]).toBe(400)
    },
  )

  it('is in no log line', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    const body = bodyOf({ id: 'cs_unknown' })
    const signature = signatureOf(webhookSecret, body)
    await billing.receive(body, signature)
    await billing.receive(`${body} `, signature)
    const log = JSON.stringify(lines.mock.calls)
    lines.mockRestore()
    expect(log).toContain('/api/webhooks/payments')
    expect(log).not.toContain(signature.slice(-64))
    expect(log).not.toContain(webhookSecret)
  })
})

describe('without its settings', () => {
  it('without its settings, no event is accepted', async () => {
    const { receive } = billing.startProcess({ webhookSecret: undefined })
    const [status, body] = await receive('{}')
    expect([status, body.missing]).toEqual([503, ['PAYMENTS_WEBHOOK_SECRET']])
  })

  it('without its settings, no offer is sold that could not be granted', async () => {
    const { session } = await billing.newUser()
    const deaf = billing.startProcess({ webhookSecret: undefined })
    const [status, body] = await deaf.web('POST', '/api/billing', { session, body: solo })
    expect([status, body.missing]).toEqual([503, ['PAYMENTS_WEBHOOK_SECRET']])
  })
})
