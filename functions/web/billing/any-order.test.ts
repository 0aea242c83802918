import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

/** A change of a subscription after its checkout. */
interface Step {
  status: string
  /** Seconds since the previous step. */
  later: number
  /** The monthly price from this step on, in pence. */
  pence: number
}

interface Bought {
  plan: 'solo' | 'collective' | 'storage'
  isTrial: boolean
  /** The payment time, in seconds. */
  paidAt: number
  /** The start of the subscription, in seconds. */
  startedAt: number
  steps: Step[]
  isDeleted: boolean
  /** The payment does not name its order; the subscription does. */
  isSilent: boolean
}

const prices = { label: 2900, solo: 7900, collective: 19_900, network: 49_900 } as const
const planAt = new Map<number, string>(Object.entries(prices).map(([plan, pence]) => [pence, plan]))
const ours: Record<string, string> = { active: 'active', trialing: 'trialing', unpaid: 'past_due' }
const beginning = Math.floor(Date.now() / 1000) - 10_000

const step = fc.record({
  status: fc.constantFrom('active', 'trialing', 'unpaid'),
  later: fc.integer({ min: 0, max: 2 }),
  pence: fc.constantFrom(...Object.values(prices)),
})
/** A price of no plan. Its changes never share a second, because their order could not be determined. */
const oddStep = fc.record({
  status: fc.constantFrom('active', 'unpaid'),
  later: fc.integer({ min: 1, max: 2 }),
  pence: fc.constantFrom(19_900, 12_345, 49_900),
})

const bought: fc.Arbitrary<Bought> = fc.record({
  plan: fc.constantFrom('solo', 'collective', 'storage'),
  isTrial: fc.boolean(),
  paidAt: fc.integer({ min: 0, max: 4 }),
  startedAt: fc.integer({ min: 0, max: 3 }),
  steps: fc.oneof(fc.array(step, { maxLength: 4 }), fc.array(oddStep, { maxLength: 4 })),
  isDeleted: fc.boolean(),
  isSilent: fc.boolean(),
})

/** A pack of 200 credits, and the refunded amounts so far, in pence. */
const packed = fc.record({
  refunds: fc.array(fc.integer({ min: 1, max: 1500 }), { maxLength: 3 }),
  isSilent: fc.boolean(),
})

const history = fc.record({
  all: fc.array(bought, { minLength: 1, maxLength: 3 }),
  packs: fc.array(packed, { maxLength: 2 }),
  /** A trusted caller sets the label plan before this delivery. */
  givenAt: fc.option(fc.nat({ max: 20 }), { nil: undefined }),
})

/**
 * Returns the final state of a purchase by event time. In the same second, the payment comes after the start of the
 * subscription and before its changes. Its end always wins.
 */
function endOf({ plan, isTrial, paidAt, startedAt, steps, isDeleted }: Bought) {
  const words: { at: number; rank: number; status: string; plan: string }[] = [
    { at: startedAt, rank: 0, status: isTrial ? 'trialing' : 'active', plan },
    ...(isTrial ? [] : [{ at: paidAt, rank: 1, status: 'active', plan }]),
  ]
  let at = startedAt
  for (const { status, later, pence } of steps) {
    at += later
    const name = plan === 'storage' ? plan : planAt.get(pence)
    words.push({ at, rank: 2, status, plan: name ?? '' })
  }
  const sorted = words.toSorted((a, b) => a.at - b.at || a.rank - b.rank)
  const named = sorted.filter((word) => word.plan !== '')
  const lastPrice = words.findLast(({ rank }) => rank !== 1)?.plan
  const planOfEnd = isDeleted && lastPrice ? lastPrice : named.at(-1)?.plan
  return { status: isDeleted ? 'canceled' : ours[String(sorted.at(-1)?.status)], plan: planOfEnd }
}

/** Orders the purchases of a history and creates their events, in order. */
async function eventsOf(session: string, purchase: Bought) {
  const { plan, isTrial, steps, isDeleted, isSilent } = purchase
  const order = await billing.order(
    session,
    plan === 'storage' ? {} : { action: 'create-checkout', plan },
  )
  const trial = { payment_status: 'no_payment_required', amount_total: 0 }
  const paid = sessionOf(order, isTrial ? trial : {})
  const id = String(paid.subscription)
  const metadata = { order: order.form['metadata[order]'], user: paid.client_reference_id }
  const named = isSilent ? { metadata, customer: paid.customer } : {}
  const first = plan === 'storage' ? 3900 : prices[plan]
  let at = beginning + purchase.startedAt
  const object = (status: string, pence: number) =>
    subscriptionOf(id, status, pence, {
      trial_end: status === 'trialing' ? beginning + 50_000 : null,
      latest_invoice: paid.invoice,
      ...named,
    })
  let now = object(isTrial ? 'trialing' : 'active', first)
  const events = [
    completed(isSilent ? silentOf(paid) : paid, beginning + purchase.paidAt),
    subscriptionEvent('created', now, at),
  ]
  for (const { status, later, pence } of steps) {
    at += later
    now = object(status, plan === 'storage' ? 3900 : pence)
    events.push(subscriptionEvent('updated', now, at))
  }
  if (isDeleted) {
    now = { ...now, status: 'canceled' }
    events.push(subscriptionEvent('deleted', now, at))
  }
  billing.provider.subscriptions.set(id, now)
  const orderId = order.form['metadata[order]'] ?? ''
  return { orderId, id, events, intent: `pi_of_${String(paid.invoice)}` }
}

const silentOf = (paid: Record<string, unknown>) => ({
  ...paid,
  subscription: undefined,
  payment_intent: undefined,
  invoice: undefined,
})

async function packEvents(
  session: string,
  { refunds, isSilent }: { refunds: number[]; isSilent: boolean },
) {
  const order = await billing.order(session, { action: 'buy-credits', pack: 200 })
  const paid = sessionOf(order)
  const named = isSilent ? { metadata: { order: order.form['metadata[order]'] } } : {}
  let sum = 0
  const refunded = refunds.map((pence): PaymentEventInput => {
    sum = Math.min(1500, sum + pence)
    const { payment_intent } = paid
    const object = { payment_intent, amount: 1500, amount_refunded: sum, ...named }
    return { type: 'charge.refunded', object }
  })
  const kept = 200 - Math.floor((20_000_000 * sum) / 1500) / 100_000
  return { events: [completed(isSilent ? silentOf(paid) : paid), ...refunded], kept }
}

type Order = <T>(events: T[]) => T[]

/** A random delivery order of events, some repeated, some in parallel. */
const orders = fc.record({
  seeds: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  twice: fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
  together: fc.integer({ min: 1, max: 4 }),
})

it('the result is the same for every order, repetition and concurrency of events', async () => {
  const property = fc.asyncProperty(history, orders, async ({ all, packs, givenAt }, given) => {
    const { id: userId, session } = await billing.newUser()
    const made: (Bought & Awaited<ReturnType<typeof eventsOf>>)[] = []
    for (const one of all) made.push({ ...one, ...(await eventsOf(session, one)) })
    const credits: Awaited<ReturnType<typeof packEvents>>[] = []
    for (const pack of packs) credits.push(await packEvents(session, pack))

    const events = [...made, ...credits]
      .flatMap((one) => one.events)
      .map((event, i) => Object.assign(event, { id: `evt_${userId}_${i}` }))
    const doubled = [...events, ...events.filter((_, i) => given.twice[i] === true)]
    const shuffled: Order = (list) =>
      list
        .map((value, i) => ({ value, by: given.seeds[i % given.seeds.length] ?? 0 }))
        .sort((a, b) => a.by - b.by)
        .map(({ value }) => value)
    const reports = shuffled(doubled)
    const subscriptionId = `sub_given_${userId}`
    const give = () => billing.subscribe({ userId, plan: 'label', subscriptionId })
    for (let i = 0; i < reports.length; i += given.together) {
      if (givenAt !== undefined && givenAt >= i && givenAt < i + given.together) await give()
      const answers = await Promise.all(
        reports.slice(i, i + given.together).map((event) => billing.deliver(event)),
      )
      expect(answers.map(([status]) => status)).toEqual(answers.map(() => 200))
    }
    if (givenAt !== undefined && givenAt >= reports.length) await give()
    await billing.cancelUnwanted(userId)

    // A trial only counts if nothing was paid.
    const since = ({ isTrial, paidAt }: Bought) => (isTrial ? -1 : paidAt)
    const laterPaid = (a: (typeof made)[number], b: (typeof made)[number]) =>
      since(a) - since(b) || (a.orderId < b.orderId ? -1 : 1)
    const holderOf = (isStorage: boolean) =>
      made
        .filter(({ plan }) => (plan === 'storage') === isStorage)
        .sort(laterPaid)
        .at(-1)
    const isGiven = givenAt !== undefined
    const [plan, storage] = [isGiven ? undefined : holderOf(false), holderOf(true)]
    const [, shown] = await billing.web('GET', '/api/billing', { session })
    const record = await billing.record(userId)
    const end = plan && endOf(plan)
    expect({ ...shown, plans: undefined, usage: undefined, awakeAgents: undefined }).toEqual({
      currentPlan: isGiven ? 'label' : (end?.plan ?? 'free'),
      subscriptionStatus: isGiven ? 'active' : (end?.status ?? 'inactive'),
      trial:
        end?.status === 'trialing'
          ? { endsAt: new Date((beginning + 50_000) * 1000).toISOString() }
          : null,
      storageGb: storage && ['active', 'trialing'].includes(endOf(storage).status ?? '') ? 50 : 0,
      byokEnabled: false,
    })
    expect(record.subscription.id).toBe(isGiven ? subscriptionId : (plan?.id ?? null))
    expect(record.storage?.subscriptionId).toBe(storage?.id)
    expect((await billing.web('GET', '/api/credits', { session }))[1]).toMatchObject({
      credits: Math.round(credits.reduce((sum, { kept }) => sum + kept, 0) * 100_000) / 100_000,
    })
    for (const one of made) {
      const calls = billing.provider.callsOf(`DELETE /v1/subscriptions/${one.id}`)
      const holds = one === plan || one === storage
      if (holds) expect(calls).toEqual([])
      else expect(one.isDeleted || calls.length === 1).toBe(true)
      const refunds = [...billing.provider.refunds.values()].filter((id) => id === one.intent)
      if (holds || one.isTrial) expect(refunds).toEqual([])
      // A plan that a trusted caller has replaced is not refunded; a payment without effect is.
      else if (isGiven && one.plan !== 'storage') expect(refunds.length).toBeLessThan(2)
      else expect(refunds).toHaveLength(1)
    }
  })
  await fc.assert(property, { numRuns: 40, interruptAfterTimeLimit: 60_000 })
}, 120_000)
