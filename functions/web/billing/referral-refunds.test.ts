import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settleReferral } from '#shared/accounts/users/referral.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { executeDeletion } from '#shared/billing/account-deletion/execute.ts'
import { postCredits } from '#shared/money/ledger/post.ts'
import { createLog } from '#shared/platform/log.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import { creditsOf } from '#tests/support/billing/credits.ts'
import { completed, sessionOf } from '#tests/support/billing/payment-events.ts'
import { clientOfProvider } from '#tests/support/billing/payment-provider.ts'
import { referredUser } from '#tests/support/billing/referred-user.ts'
import { eventContext, lostQueues } from '#tests/support/platform/context.ts'

let billing: Billing
beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const ten = 1_000_000
const ctx = {
  actor: { type: 'platform', askedBy: 'provider' },
  requestId: 'req_of_the_tests',
} as const

const referred = () => referredUser(billing)

/** Settles the referrals of all users whose payments changed, twice, as their messages may come. */
async function carryOut(): Promise<void> {
  for (const userId of [...(await billing.told()), ...(await billing.told())])
    for (const _ of [1, 2]) await settleReferral({ ...ctx, table: billing.table }, { userId })
}

async function referralsOf(userId: string): Promise<number[]> {
  const { postings } = await creditsOf(billing.table, userId)
  return postings.flatMap(({ reason, microUsd }) => (reason === 'referral' ? [microUsd] : []))
}

const both = async ({ id, by }: { id: string; by: string }) => [
  await referralsOf(id),
  await referralsOf(by),
]

const refund = (intent: unknown, pence: number, more: object = {}) =>
  billing.deliver({
    type: 'charge.refunded',
    object: { payment_intent: intent, amount: 1500, amount_refunded: pence, ...more },
  })

let moment = Math.floor(Date.now() / 1000)
const dispute = (intent: unknown, status: string) =>
  billing.deliver({
    type: `charge.dispute.${status === 'needs_response' ? 'created' : 'closed'}`,
    created: moment++,
    object: { id: `du_${String(intent)}`, payment_intent: intent, status },
  })

const pack = async (session: string) =>
  sessionOf(await billing.order(session, { action: 'buy-credits', pack: 200 }))

/** Pays for a plan, whose payment only the provider knows. */
async function plan(session: string) {
  const paid = sessionOf(await billing.order(session, { action: 'create-checkout', plan: 'solo' }))
  const intent = `pi_${randomUUID()}`
  billing.provider.payments.set(intent, { subscription: paid.subscription })
  return { paid, intent }
}

describe('the credits of a referral', () => {
  it('are withdrawn by a refund of at least half of the qualifying payment', async () => {
    const one = await referred()
    const paid = await pack(one.session)
    await billing.deliver(completed(paid))
    await carryOut()
    await refund(paid.payment_intent, 700)
    await carryOut()
    expect(await both(one)).toEqual([[ten], [ten]])
    await refund(paid.payment_intent, 1500)
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten],
      [ten, -ten],
    ])
  })

  it('are not granted if the payment was refunded first, and are granted for a later payment', async () => {
    const one = await referred()
    const [first, second] = [await pack(one.session), await pack(one.session)]
    await billing.deliver(completed(first))
    await refund(first.payment_intent, 1500)
    await carryOut()
    expect(await both(one)).toEqual([[], []])
    await billing.deliver(completed(second))
    await carryOut()
    expect(await both(one)).toEqual([[ten], [ten]])
    // The first payment no longer counts.
    await dispute(first.payment_intent, 'needs_response')
    await carryOut()
    expect(await both(one)).toEqual([[ten], [ten]])
  })

  it.each(['checkout', 'first invoice after a trial'])(
    'are not granted if the refund of a plan is reported before its %s',
    async (what) => {
      const one = await referred()
      const { paid, intent } = await plan(one.session)
      const { subscription } = paid
      const trial = { payment_status: 'no_payment_required', amount_total: 0 }
      const details = { subscription_details: { subscription } }
      if (what !== 'checkout') await billing.deliver(completed({ ...paid, ...trial }))
      await refund(intent, 1500, { created: Math.floor(Date.now() / 1000) })
      await billing.deliver(
        what === 'checkout'
          ? completed(paid)
          : { type: 'invoice.paid', object: { id: 'in_1', amount_paid: 7900, parent: details } },
      )
      await carryOut()
      expect(await both(one)).toEqual([[], []])
      await billing.deliver(completed(await pack(one.session)))
      await carryOut()
      expect(await both(one)).toEqual([[ten], [ten]])
    },
  )

  it('stay if another payment counts, and return with a later one', async () => {
    const one = await referred()
    const packs = [await pack(one.session), await pack(one.session), await pack(one.session)]
    await billing.deliver(completed(packs[0] ?? {}))
    await billing.deliver(completed(packs[1] ?? {}))
    await refund(packs[0]?.payment_intent, 1500)
    await carryOut()
    expect(await both(one)).toEqual([[ten], [ten]])
    await refund(packs[1]?.payment_intent, 1500)
    await carryOut()
    await billing.deliver(completed(packs[2] ?? {}))
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten, ten],
      [ten, -ten, ten],
    ])
  })

  it('are withdrawn up to the balance, and restored by a won dispute', async () => {
    const one = await referred()
    const { paid, intent } = await plan(one.session)
    await billing.deliver(completed(paid))
    await carryOut()
    const left = 300_000
    const spent = { microUsd: left - ten, reason: 'use', ref: 'uev_1' } as const
    const { balance, posting } = postCredits(
      one.by,
      { creditMicroUsd: ten, creditPostings: 1 },
      spent,
    )
    const user = userStore(billing.table, one.by).write.update(profileKey, balance)
    await commit(billing.table, { user, posting })
    await dispute(intent, 'needs_response')
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten],
      [ten, -left],
    ])
    await dispute(intent, 'won')
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten, ten],
      [ten, -left, left],
    ])
  })

  it('are withdrawn by a refund of a plan’s first payment, and not of a later one', async () => {
    const one = await referred()
    const { paid, intent } = await plan(one.session)
    await billing.deliver(completed(paid))
    await carryOut()
    const later = `pi_${randomUUID()}`
    billing.provider.payments.set(later, { subscription: paid.subscription })
    const now = Math.floor(Date.now() / 1000)
    await refund(later, 1500, { created: now + 30 * 86_400 })
    await carryOut()
    expect(await both(one)).toEqual([[ten], [ten]])
    await refund(intent, 1500, { created: now })
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten],
      [ten, -ten],
    ])
  })

  it('are not withdrawn by a dispute of a plan’s later payment, and a won one does not restore them', async () => {
    const one = await referred()
    const { paid, intent } = await plan(one.session)
    const now = Math.floor(Date.now() / 1000)
    const { subscription } = paid
    billing.provider.payments.set(intent, { subscription, created: now })
    await billing.deliver(completed(paid))
    const later = `pi_${randomUUID()}`
    billing.provider.payments.set(later, { subscription, created: now + 30 * 86_400 })
    await dispute(later, 'needs_response')
    await carryOut()
    expect(await both(one)).toEqual([[ten], [ten]])
    await dispute(intent, 'needs_response')
    await dispute(later, 'won')
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten],
      [ten, -ten],
    ])
    await dispute(intent, 'won')
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten, ten],
      [ten, -ten, ten],
    ])
  })

  it.each(['a pack', 'a plan'])(
    'are withdrawn from the owner of the code if the payment of a deleted user for %s is refunded',
    async (what) => {
      const one = await referred()
      const { paid, intent } =
        what === 'a plan'
          ? await plan(one.session)
          : await pack(one.session).then((bought) => ({
              paid: bought,
              intent: bought.payment_intent,
            }))
      await billing.deliver(completed(paid))
      await carryOut()
      await billing.give(one.id, { deletedAt: new Date().toISOString() })
      await refund(intent, 1500)
      const job = {
        ...eventContext(billing.table),
        queues: lostQueues,
        log: createLog(),
        provider: clientOfProvider(billing.provider.origin),
        belongings: [],
        removals: [],
      }
      expect(await billing.told()).toContain(one.id)
      for (const _ of [1, 2]) await executeDeletion(job, { userId: one.id })
      expect(await referralsOf(one.by)).toEqual([ten, -ten])
    },
  )

  it('stay withdrawn after a refund, even if a dispute of the payment is won later', async () => {
    const one = await referred()
    const { paid, intent } = await plan(one.session)
    await billing.deliver(completed(paid))
    await carryOut()
    await dispute(intent, 'needs_response')
    await refund(intent, 1500, { created: Math.floor(Date.now() / 1000) })
    await dispute(intent, 'won')
    await carryOut()
    expect(await both(one)).toEqual([
      [ten, -ten],
      [ten, -ten],
    ])
  })
})
