import { randomUUID } from 'node:crypto'
import { type PlanName, planNames, plans } from '../../../shared/plans/plans.ts'
import { sessionOf, subscriptionOf } from '../../support/payment-events.ts'
import type { Random } from '../world/random.ts'

export type Sold =
  | { kind: 'plan'; plan: PlanName }
  | { kind: 'credits'; credits: 50 | 200 | 500 }
  | { kind: 'storage' }

/** An event of the provider, whole. */
export interface Event {
  id: string
  type: string
  created: number
  data: { object: Record<string, unknown> }
}

/** What becomes of a user's checkouts, in the order of the provider's time, and where that ends. */
export interface History {
  events: Event[]
  /** Every checkout that was begun, and whether the provider said that it was paid as it was ordered. */
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

/** States that a subscription goes through after it has begun, by the provider's words and ours. */
const moves = [
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['unpaid', 'past_due'],
  ['trialing', 'trialing'],
] as const

/** An event a second, so that their order is told by their times alone. */
function clock(start: number) {
  let second = start
  return () => second++
}

/**
 * A user's life at the provider: plans that are paid one over the other, storage, packs of credits that are paid back in
 * part, what was never paid, and what is another shop's.
 * @param begin begins a checkout at the platform and answers its session's id
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
    // The provider's events may lack what the platform wrote into the session.
    return sessionOf({ sessionId, form }, { metadata: {} })
  }
  const pay = (session: Record<string, unknown>) => {
    paid.add(session.id)
    if (random.percent(50)) return add('checkout.session.completed', session)
    add('checkout.session.completed', { ...session, payment_status: 'unpaid' })
    add('checkout.session.async_payment_succeeded', session)
  }
  /** A subscription's life, which may begin before its payment has come. @returns its last state, in our words */
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

  // All are begun before any is paid: who has a plan is sent to change it, and not to another checkout.
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
    // The sum that was paid back grows: first a fifth, then perhaps all of it.
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
