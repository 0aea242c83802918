import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/harness.ts'
import { credits, openCheckout, type OpenCheckout, press, solo } from './testing/harness.ts'

let checkout: OpenCheckout
let now = Date.now()

beforeAll(async () => {
  checkout = await openCheckout({ clock: () => now })
})
afterAll(() => checkout[Symbol.asyncDispose]())

const create = (given: Parameters<OpenCheckout['stripe']['checkout']['sessions']['create']>[0]) =>
  checkout.stripe.checkout.sessions.create(given)
const find = (id: string) => checkout.stripe.checkout.sessions.retrieve(id)

async function open(url: string | null) {
  const response = await fetch(String(url))
  return { status: response.status, headers: response.headers, html: await response.text() }
}

/** Returns the events whose object contains the id anywhere. */
const eventsOf = (id: string) =>
  checkout.receiver.events.filter((event) => JSON.stringify(event.data.object).includes(id))

describe('the checkout page', () => {
  test('states first that no money moves, then the offer and its price', async () => {
    const { url } = await create(solo)
    const { status, html } = await open(url)
    expect(status).toBe(200)
    const words = html.replaceAll(/<head>[^]*<\/head>|<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    expect(words.trim()).toMatch(/^This is the stand-in checkout of this machine: no money moves/)
    expect(words).toMatch(/Solo £79\.00 a month Due today: £79\.00 Pay Decline/)
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html).toContain('<html lang="en">')
  })

  test('runs no script, forbids frames, and redirects only to the platform', async () => {
    const { url } = await create(solo)
    const { headers, html } = await open(url)
    const policy = headers.get('content-security-policy')
    expect(policy).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self' http://localhost:3000; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(html).not.toMatch(/<script|\sstyle=|\son\w+=/)
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('shows names as text', async () => {
    const name = `<img src=x onerror="alert('1')">`
    const price_data = { ...credits.line_items[0]?.price_data, product_data: { name } }
    const { url } = await create({
      ...credits,
      line_items: [{ quantity: 2, price_data: { ...price_data, currency: 'gbp' } }],
    })
    const { html } = await open(url)
    expect(html).not.toContain('<img')
    expect(html).toContain('2 × &lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;')
    expect(html).toContain('£10.00')
  })

  test('redirects after Pay and grants the subscription, with its events', async () => {
    const session = await create({
      ...solo,
      success_url: `${solo.success_url}&id={CHECKOUT_SESSION_ID}`,
    })
    const { status, headers } = await press(session.url, 'pay')
    expect(status).toBe(303)
    expect(headers.get('location')).toBe(`${solo.success_url}&id=${session.id}`)
    const paid = await find(session.id)
    expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null })
    await until('its last event', () => eventsOf(session.id).length > 0)
    const told = eventsOf(String(paid.subscription)).map(({ type }) => type)
    expect(told).toEqual([
      'customer.subscription.created',
      'invoice.paid',
      'checkout.session.completed',
    ])
    expect(eventsOf(session.id)[0]?.data.object).toEqual(paid)
  })

  test('sells a single offer once after Pay', async () => {
    const { id, url } = await create(credits)
    await press(url, 'pay')
    const paid = await find(id)
    expect(paid).toMatchObject({ payment_status: 'paid', subscription: null, invoice: null })
    expect(paid.payment_intent).toMatch(/^pi_/)
    await until('its last event', () => eventsOf(id).length > 0)
    const told = eventsOf(String(paid.payment_intent)).map(({ type }) => type)
    expect(told).toEqual(['payment_intent.succeeded', 'checkout.session.completed'])
  })

  test('is paid once by many concurrent clicks', async () => {
    const { id, url } = await create(solo)
    const answers = await Promise.all(Array.from({ length: 8 }, () => press(url, 'pay')))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(303))
    const { subscription } = await find(id)
    await until('its last event', () => eventsOf(id).length > 0)
    expect(eventsOf(String(subscription))).toHaveLength(3)
    const { html } = await open(url)
    expect(html).toContain('This checkout is paid')
    expect(html).not.toContain('<button>')
  })

  test('redirects after Decline, grants nothing and sends no event; the session can still be paid', async () => {
    const { id, url } = await create(solo)
    const { status, headers } = await press(url, 'decline')
    expect([status, headers.get('location')]).toEqual([303, solo.cancel_url])
    expect(await find(id)).toMatchObject({ status: 'open', payment_status: 'unpaid' })
    await press(url, 'pay')
    expect(await find(id)).toMatchObject({ status: 'complete' })
  })

  test('expires after a day', async () => {
    const { id, url } = await create(solo)
    now += 24 * 3600 * 1000
    expect((await find(id)).status).toBe('expired')
    expect((await press(url, 'pay')).status).toBe(409)
    const { status, html } = await open(url)
    expect(status).toBe(409)
    expect(html).toContain('This checkout has expired')
    expect(await find(id)).toMatchObject({ payment_status: 'unpaid', subscription: null })
  })

  test('shows a trial as free, and the price after it', async () => {
    const subscription_data = { trial_period_days: 14 }
    const { id, url } = await create({ ...solo, subscription_data })
    expect((await open(url)).html).toContain('14 days free, then £79.00')
    await press(url, 'pay')
    const session = await find(id)
    expect(session).toMatchObject({ payment_status: 'no_payment_required', amount_total: 0 })
    const subscription = await checkout.stripe.subscriptions.retrieve(String(session.subscription))
    expect(subscription.status).toBe('trialing')
    expect(subscription.trial_end).toBe(subscription.created + 14 * 86_400)
  })

  test.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('rejects the form of another site: %o', async (headers) => {
    const { id, url } = await create(solo)
    expect((await press(url, 'pay', headers)).status).toBe(403)
    expect((await find(id)).status).toBe('open')
  })

  test('accepts its own form as browsers send it', async () => {
    const { id, url } = await create(solo)
    const headers = { origin: checkout.url, 'sec-fetch-site': 'same-origin' }
    expect((await press(url, 'pay', headers)).status).toBe(303)
    expect((await find(id)).status).toBe('complete')
  })

  test('rejects other host names', async () => {
    const socket = createConnection(Number(new URL(checkout.url).port), '127.0.0.1')
    socket.end('GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /)
  })

  test('returns 404 for a missing session', async () => {
    expect((await open(`${checkout.url}/c/pay/cs_test_strange`)).status).toBe(404)
    expect((await press(`${checkout.url}/c/pay/cs_test_strange`, 'pay')).status).toBe(404)
    expect((await open(`${checkout.url}/p/session/bps_test_strange`)).status).toBe(404)
  })
})

describe('the portal page', () => {
  async function portal() {
    const { id, url } = await create(solo)
    await press(url, 'pay')
    const { subscription, customer } = await find(id)
    const made = await checkout.stripe.billingPortal.sessions.create({
      customer: String(customer),
      return_url: 'http://localhost:3000/dashboard',
    })
    const submit = (subscription: string, verb: string, fields: Record<string, string> = {}) =>
      fetch(`${made.url}/${subscription}/${verb}`, {
        method: 'POST',
        body: new URLSearchParams(fields),
      })
    return { url: made.url, id: String(subscription), submit }
  }
  const subscription = (id: string) => checkout.stripe.subscriptions.retrieve(id)

  test('changes the plan', async () => {
    const { url, id, submit } = await portal()
    expect((await open(url)).html).toContain('value="79.00"')
    const answer = await submit(id, 'change', { name: 'Collective', price: '199.00' })
    expect(await answer.text()).toContain('£199.00 a month, active')
    const [item] = (await subscription(id)).items.data
    expect(item?.price).toMatchObject({ unit_amount: 19_900, nickname: 'Collective' })
    await until('its event', () =>
      eventsOf(id).some(
        ({ type, data }) =>
          type === 'customer.subscription.updated' && 'items' in (data.previous_attributes ?? {}),
      ),
    )
  })

  test('fails the card, pays the due amount, and cancels', async () => {
    const { id, submit } = await portal()
    expect(await (await submit(id, 'fail')).text()).toContain('past due')
    expect((await subscription(id)).status).toBe('past_due')
    expect(await (await submit(id, 'renew')).text()).toContain('active')
    expect(await (await submit(id, 'cancel')).text()).toContain('You have no active subscriptions')
    expect((await subscription(id)).status).toBe('canceled')
    await until('the last event', () => eventsOf(id).at(-1)?.type.endsWith('.deleted'))
    expect(eventsOf(id).map(({ type }) => type)).toEqual([
      'customer.subscription.created',
      'invoice.paid',
      'checkout.session.completed',
      'invoice.payment_failed',
      'customer.subscription.updated',
      'invoice.paid',
      'customer.subscription.updated',
      'customer.subscription.deleted',
    ])
  })

  test('changes nothing of another customer', async () => {
    const [mine, other] = [await portal(), await portal()]
    await mine.submit(other.id, 'cancel')
    expect((await subscription(other.id)).status).toBe('active')
    expect((await open(mine.url)).html).not.toContain(other.id)
  })

  test.each([{ price: '-1' }, { price: '1e9' }, { name: '' }])(
    'rejects the plan of %o',
    async (wrong) => {
      const { id, submit } = await portal()
      const fields = { name: 'Solo', price: '1.00', ...wrong }
      expect((await submit(id, 'change', fields)).status).toBe(400)
      expect((await subscription(id)).items.data[0]?.price.unit_amount).toBe(7900)
    },
  )
})
