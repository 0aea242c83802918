import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import {
  completed,
  sessionOf,
  subscriptionEvent,
  subscriptionOf,
} from '#tests/support/billing/payment-events.ts'
import { readMetrics } from '#tests/support/platform/metric-format.ts'

vi.hoisted(() => vi.stubEnv('PLATFORM_STAGE', 'production'))

let billing: Billing
let lines: Record<string, unknown>[] = []

beforeAll(async () => {
  billing = await startBilling()
})
beforeEach(() => {
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
})
afterAll(() => billing.close())

const failures = () =>
  lines.filter(({ FailedPayments }) => FailedPayments !== undefined).map((line) => line.eventId)

const eventId = () => `evt_${randomUUID()}`

it('a failed payment is counted once, however often the provider reports it', async () => {
  const { id, session } = await billing.newUser()
  const order = await billing.order(session, { action: 'create-checkout', plan: 'solo' })
  const paid = sessionOf(order)
  const at = Math.floor(Date.now() / 1000)
  await billing.deliver(completed(paid, at))
  const late = (status: string, later: number) => ({
    ...subscriptionEvent('updated', subscriptionOf(paid.subscription, status, 7900), at + later),
    id: eventId(),
  })
  const [first, renewed, again] = [late('past_due', 1), late('active', 3), late('past_due', 4)]
  // The provider retries and fails again; that counts as the same failure.
  for (const event of [first, first, late('unpaid', 2), renewed, again, first])
    expect((await billing.deliver(event))[0]).toBe(200)
  expect(failures()).toEqual([first.id, again.id])
  const line = lines.find((one) => one.eventId === first.id && one.FailedPayments)
  expect(line).toMatchObject({ level: 'warn', userIds: [id], subscription: paid.subscription })
  expect(readMetrics(line ?? {})).toMatchObject({
    dimensions: [{ function: expect.any(String) }],
    figures: { FailedPayments: 1 },
  })
})

it('a checkout whose payment failed later is counted, and grants nothing', async () => {
  const { session } = await billing.newUser()
  const order = await billing.order(session, { action: 'buy-credits', pack: 200 })
  const object = sessionOf(order, { payment_status: 'unpaid' })
  const failed = { id: eventId(), type: 'checkout.session.async_payment_failed', object }
  for (const event of [completed(object), failed, failed])
    expect(await billing.deliver(event)).toEqual([200, { received: true }])
  expect(failures()).toEqual([failed.id])
  expect((await billing.web('GET', '/api/credits', { session }))[1]).toMatchObject({ credits: 0 })
})

it('failed payments of another shop are not counted', async () => {
  const object = { id: `cs_${randomUUID()}`, payment_status: 'unpaid' }
  await billing.deliver({ type: 'checkout.session.async_payment_failed', object })
  await billing.deliver(
    subscriptionEvent('updated', subscriptionOf(`sub_${randomUUID()}`, 'past_due', 7900)),
  )
  expect(failures()).toEqual([])
})
