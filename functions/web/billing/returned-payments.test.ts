import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { settleReferral } from '#shared/accounts/users/referral.ts'
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
import { referredUser } from '#tests/support/billing/referred-user.ts'

let billing: Billing
beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const day = 86_400
const beginning = Math.floor(Date.now() / 1000) - 100 * day
const pence = { pack: 1500, plan: 7900 }
const reward = 1_000_000

interface Returned {
  /** The total refunded amount after each refund, in tenths of the price. */
  refunds: number[]
  /** The states of its dispute, in order. */
  dispute: string[]
}

const returned: fc.Arbitrary<Returned> = fc.record({
  refunds: fc.constantFrom([], [4], [4, 10], [10]),
  dispute: fc.constantFrom(
    [],
    [],
    ['needs_response'],
    ['needs_response', 'won'],
    ['needs_response', 'lost'],
  ),
})

interface Plan {
  isTrial: boolean
  /** The invoices name the order in their metadata. */
  isNamed: boolean
  invoices: Returned[]
}

const plan: fc.Arbitrary<Plan> = fc.record({
  isTrial: fc.boolean(),
  isNamed: fc.boolean(),
  invoices: fc.array(returned, { minLength: 1, maxLength: 2 }),
})

const history = fc.record({
  packs: fc.array(returned, { maxLength: 2 }),
  bought: fc.option(plan, { nil: undefined }),
})

const delivery = fc.record({
  seeds: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  twice: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
  /** The referral's job runs after this batch. */
  settles: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
  together: fc.integer({ min: 1, max: 3 }),
})

const isWithheld = ({ dispute }: Returned) =>
  ['needs_response', 'lost'].includes(dispute.at(-1) ?? '')
const refundedTenths = ({ refunds }: Returned) => refunds.at(-1) ?? 0
const stands = (payment: Returned) => !isWithheld(payment) && refundedTenths(payment) < 5

/** Returns the events that give a payment back. */
function returnsOf(
  intent: unknown,
  { refunds, dispute }: Returned,
  { amount, madeAt }: { amount: number; madeAt: number },
): PaymentEventInput[] {
  return [
    ...refunds.map((tenths, i) => ({
      type: 'charge.refunded',
      created: madeAt + 10 + i,
      object: {
        payment_intent: intent,
        amount,
        amount_refunded: (amount * tenths) / 10,
        created: madeAt,
      },
    })),
    ...dispute.map((status, i) => ({
      type: `charge.dispute.${i === 0 ? 'created' : 'closed'}`,
      created: madeAt + 20 + i,
      object: { id: `du_${String(intent)}`, payment_intent: intent, status },
    })),
  ]
}

async function planEvents(session: string, { isTrial, isNamed, invoices }: Plan) {
  const order = await billing.order(session, { action: 'create-checkout', plan: 'solo' })
  const trial = { payment_status: 'no_payment_required', amount_total: 0 }
  const paid = sessionOf(order, isTrial ? trial : {})
  const id = String(paid.subscription)
  const startsAt = beginning + (isTrial ? 7 * day : 0)
  const metadata = isNamed ? { order: order.form['metadata[order]'] } : {}
  const events = [
    completed(paid, beginning),
    subscriptionEvent(
      'created',
      subscriptionOf(id, isTrial ? 'trialing' : 'active', pence.plan),
      beginning,
    ),
    ...(isTrial
      ? [subscriptionEvent('updated', subscriptionOf(id, 'active', pence.plan), startsAt)]
      : []),
  ]
  for (const [i, invoice] of invoices.entries()) {
    const madeAt = startsAt + i * 30 * day
    const intent = `pi_${i}_of_${id}`
    billing.provider.payments.set(intent, { subscription: id, created: madeAt })
    const parent = { subscription_details: { subscription: id, metadata } }
    events.push(
      {
        type: 'invoice.paid',
        created: madeAt + 5,
        object: { id: `in_${i}`, amount_paid: pence.plan, parent },
      },
      ...returnsOf(intent, invoice, { amount: pence.plan, madeAt }),
    )
  }
  return events
}

async function packEvents(session: string, given: Returned) {
  const order = await billing.order(session, { action: 'buy-credits', pack: 200 })
  const paid = sessionOf(order)
  const returns = returnsOf(paid.payment_intent, given, { amount: pence.pack, madeAt: beginning })
  return [completed(paid, beginning), ...returns]
}

/** Returns the credits that remain of a pack, in millionths of a US dollar. */
function keptOf(payment: Returned): number {
  return isWithheld(payment) ? 0 : 2_000_000 * (10 - refundedTenths(payment))
}

it('plan, credits and the referral’s reward depend only on the set of events: payments, refunds and disputes', async () => {
  const property = fc.asyncProperty(history, delivery, async ({ packs, bought }, given) => {
    const { id, by, session } = await referredUser(billing)
    const ctx = {
      actor: { type: 'platform', askedBy: 'provider' } as const,
      requestId: 'req_of_the_tests',
      table: billing.table,
    }
    const settle = () => settleReferral(ctx, { userId: id })
    const made = [...(bought === undefined ? [] : await planEvents(session, bought))]
    for (const pack of packs) made.push(...(await packEvents(session, pack)))

    const events = made.map((event, i) => Object.assign(event, { id: `evt_${id}_${i}` }))
    const deliveries = [...events, ...events.filter((_, i) => given.twice[i] === true)]
      .map((event, i) => ({ event, by: given.seeds[i % given.seeds.length] ?? 0 }))
      .sort((a, b) => a.by - b.by)
    for (let i = 0; i < deliveries.length; i += given.together) {
      const batch = deliveries.slice(i, i + given.together)
      const answers = await Promise.all(batch.map(({ event }) => billing.deliver(event)))
      expect(answers.map(([status]) => status)).toEqual(answers.map(() => 200))
      if (given.settles[i % given.settles.length] === true) await settle()
    }
    await settle()

    const earned = [...packs, ...(bought?.invoices ?? [])].some(stands) ? reward : 0
    const record = await billing.record(id)
    const isDisputed = bought?.invoices.some(isWithheld) === true
    expect({
      plan: record.plan,
      status: record.subscription.status,
      credits: record.creditMicroUsd,
      ofReferrer: (await billing.record(by)).creditMicroUsd,
    }).toEqual({
      plan: bought === undefined ? 'free' : 'solo',
      status: bought === undefined ? 'inactive' : isDisputed ? 'past_due' : 'active',
      credits: packs.reduce((sum, pack) => sum + keptOf(pack), earned),
      ofReferrer: earned,
    })
  })
  await fc.assert(property, { numRuns: 40, interruptAfterTimeLimit: 60_000 })
}, 120_000)
