import { randomUUID } from 'node:crypto'
import { type PlanName, planNames, plans } from '#shared/money/plans/plans.ts'
import { sessionOf, subscriptionOf } from '#tests/support/billing/payment-events.ts'
import type { Random } from '../world/random.ts'

export type Sold =
  | { kind: 'plan'; plan: PlanName }
  | { kind: 'credits'; credits: 50 | 200 | 500 }
  | { kind: 'storage' }

/** A complete event of the provider. */
export interface Event {
  id: string
  type: string
  created: number
  data: { object: Record<string, unknown> }
}

/** The events of a user's checkouts in the provider's order, and the expected result. */
export interface History {
  events: Event[]
  /** Every started checkout, and whether the provider reported it as paid as ordered. */
  checkouts: { sessionId: string; isPaid: boolean }[]
  expected: {
    currentPlan: string
    subscriptionStatus: string
    storageGb: number
    credits: number
  }
}

const packPence = { 50: 500, 200: 1500, 500: 3000 } as const
const storagePence = 3900

/** The states of a subscription after its start, by the provider's name and ours. */
const moves = [
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['unpaid', 'past_due'],
  ['trialing', 'trialing'],
] as const

/** One event per second, so that timestamps alone define their order. */
function clock(start: number) {
  let second = start
  return () => second++
}

/**
 * Creates a user's history at the provider: plans that replace each other, storage, packs of credits with partial
 * refunds, checkouts that were never paid, and events of another shop.
 * @param begin starts a checkout at the platform and returns its session's id
 */
export async function historyOf(
  random: Random,
  userId: string,
  begin: (sold: Sold) => Promise<string>,
): Promise<History> {
  const now = clock(Math.floor(Date.now() / 1000) - 86_400)
  const events: Event[] = []
  const add = (type: string, object: Record<string, unknown>) =>
    void events.push({ id: `evt_${randomUUID()}`, type, created: now(), data: { object } })
  const expected: History['expected'] = {
    currentPlan: 'free',
    subscriptionStatus: 'inactive',
    storageGb: 0,
    credits: 0,
  }
  const begun: string[] = []
  const paid = new Set<unknown>()
  const sell = async (sold: Sold, pence: number) => {
    const sessionId = await begin(sold)
    begun.push(sessionId)
    const form = {
      mode: sold.kind === 'credits' ? 'payment' : 'subscription',
      client_reference_id: userId,
      'line_items[0][price_data][unit_amount]': String(pence),
    }
    // The provider's events may lack the metadata that the platform wrote into the session.
    return sessionOf({ sessionId, form }, { metadata: {} })
  }
  const pay = (session: Record<string, unknown>) => {
    paid.add(session.id)
    if (random.percent(50)) return add('checkout.session.completed', session)
    add('checkout.session.completed', { ...session, payment_status: 'unpaid' })
    add('checkout.session.async_payment_succeeded', session)
  }
  /**
   * Adds a subscription's events, which may start before its payment.
   * @returns its last state, by our name
   */
  const live = (session: Record<string, unknown>, pence: number): string => {
    const { subscription: id } = session
    let status: string = 'active'
    const begins = (word: string) =>
      add('customer.subscription.created', subscriptionOf(id, word, pence))
    const isFirst = random.percent(50)
    if (isFirst) begins('incomplete')
    pay(session)
    if (!isFirst) begins('active')
    for (let n = random.below(4); n > 0; n--) {
      const [theirs, ours] = random.pick(moves)
      add('customer.subscription.updated', subscriptionOf(id, theirs, pence, { trial_end: 2e9 }))
      status = ours
    }
    if (random.percent(30)) {
      add('customer.subscription.deleted', subscriptionOf(id, 'canceled', pence))
      status = 'canceled'
    }
    return status
  }

  // All checkouts start before any payment: with a plan, a user must change it instead of starting another checkout.
  const chosen = [random.pick(planNames), random.pick(planNames)]
  const pence = (plan: PlanName) => Number(plans[plan].price.minor)
  const planSessions = []
  for (const plan of chosen)
    planSessions.push({ plan, session: await sell({ kind: 'plan', plan }, pence(plan)) })
  const storage = await sell({ kind: 'storage' }, storagePence)
  const packs = [1, 2, 3].map(() => random.pick([50, 200, 500] as const))
  const packSessions = []
  for (const credits of packs)
    packSessions.push({
      credits,
      session: await sell({ kind: 'credits', credits }, packPence[credits]),
    })
  const unpaid = await sell({ kind: 'credits', credits: 500 }, packPence[500])

  for (const { plan, session } of planSessions) {
    expected.currentPlan = plan
    expected.subscriptionStatus = live(session, pence(plan))
  }
  if (random.percent(60)) {
    const open = ['active', 'trialing'].includes(live(storage, storagePence))
    expected.storageGb = open ? 50 : 0
  }
  for (const { credits, session } of packSessions) {
    pay(session)
    expected.credits += credits
    if (!random.percent(40)) continue
    // The refunded sum grows: first a fifth, then possibly everything.
    const refund = (share: number) =>
      add('charge.refunded', {
        object: 'charge',
        payment_intent: session.payment_intent,
        amount_refunded: packPence[credits] * share,
      })
    refund(0.2)
    expected.credits -= credits * 0.2
    if (random.percent(50)) {
      refund(1)
      expected.credits -= credits * 0.8
    }
  }
  add('checkout.session.completed', { ...unpaid, payment_status: 'unpaid' })
  add('checkout.session.completed', { ...unpaid, amount_total: 1 })
  add('checkout.session.completed', { ...unpaid, id: `cs_test_${randomUUID()}`, metadata: {} })
  const checkouts = begun.map((sessionId) => ({ sessionId, isPaid: paid.has(sessionId) }))
  return { events, checkouts, expected }
}
