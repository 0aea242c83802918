import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { tickEntitlements } from '#shared/accounts/entitlements/tick.ts'
import { settleReferral } from '#shared/accounts/users/referral.ts'
import { confirmEmail } from '#shared/accounts/users/verify-email.ts'
import { createLog } from '#shared/platform/log.ts'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { linkIn, password, sessionOf as cookieOf } from '#tests/support/accounts/accounts.ts'
import { auditOf } from '#tests/support/accounts/audit.ts'
import {
  type Billing,
  type PaymentEventInput,
  startBilling,
} from '#tests/support/billing/billing.ts'
import { creditsOf } from '#tests/support/billing/credits.ts'
import { completed, sessionOf } from '#tests/support/billing/payment-events.ts'

let billing: Billing
beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const plan = { action: 'create-checkout', plan: 'solo' }
const trial = { payment_status: 'no_payment_required', amount_total: 0 }
const ctx = {
  actor: { type: 'platform', askedBy: 'provider' },
  requestId: 'req_of_the_tests',
} as const

/** Registers a user with a referral code. Returns the parts of their payment events. */
async function bring(referralCode: string) {
  const email = `brought-${randomUUID()}@b.co`
  const body = { email, password, referralCode }
  const registered = await billing.account('POST', '/api/register', { body })
  const { id } = (await registered.json()) as { id: string }
  const login = await billing.account('POST', '/api/auth/login', { body: { email, password } })
  const session = cookieOf(login)
  const link = linkIn(await billing.mailTo(email, /./))
  return { id, email, session, link, token: link.searchParams.get('token') ?? '' }
}

type Brought = Awaited<ReturnType<typeof bring>>

async function referrer() {
  const { id } = await billing.newUser()
  return { id, code: String((await billing.record(id)).referralCode) }
}

const verify = ({ link, session }: Brought) =>
  billing.account('GET', link.pathname + link.search, { session })

/** Handles what the schedule finds, as the entitlements job does. */
async function carryOut(table = billing.table): Promise<void> {
  await tickEntitlements({ table: billing.table, queues: billing.services.queues })
  for (const userId of new Set(await billing.told()))
    await settleReferral({ ...ctx, table }, { userId })
}

async function referralsOf(userId: string): Promise<number[]> {
  const { postings } = await creditsOf(billing.table, userId)
  return postings.flatMap(({ reason, microUsd }) => (reason === 'referral' ? [microUsd] : []))
}

const ten = 1_000_000

const isGrant = ({ action }: { action?: unknown }) => action === 'credits.granted'

describe('a referral', () => {
  const invoice = (subscription: unknown, order: unknown, paid: number): PaymentEventInput => ({
    type: 'invoice.paid',
    object: {
      id: 'in_1',
      amount_paid: paid,
      parent: { subscription_details: { subscription, metadata: { order } } },
    },
  })

  it('grants no credits for invented accounts, verified addresses, trials and free invoices', async () => {
    const by = await referrer()
    const brought = await Promise.all([bring(by.code), bring(by.code)])
    for (const one of brought) {
      await verify(one)
      const begun = sessionOf(await billing.order(one.session, plan), trial)
      await billing.deliver(completed(begun))
      const order = (begun.metadata as { order: string }).order
      await billing.deliver(invoice(begun.subscription, order, 0))
      await billing.deliver(invoice(`sub_${randomUUID()}`, undefined, 7900))
    }
    await carryOut()
    expect(await billing.record(by.id)).toMatchObject({ creditMicroUsd: 0, referralCount: 2 })
    for (const { id } of brought) expect(await referralsOf(id)).toEqual([])
  })

  it.each(['after its checkout', 'before its checkout'])(
    'grants both sides credits once a trial is paid for, reported by %s',
    async (when) => {
      const by = await referrer()
      const one = await bring(by.code)
      await verify(one)
      const begun = sessionOf(await billing.order(one.session, plan), trial)
      const order = (begun.metadata as { order: string }).order
      const events = [completed(begun), invoice(begun.subscription, order, 7900)]
      for (const event of when.startsWith('after') ? events : events.toReversed())
        expect(await billing.deliver(event)).toEqual([200, { received: true }])
      await carryOut()
      expect([await referralsOf(one.id), await referralsOf(by.id)]).toEqual([[ten], [ten]])
      const granted = expect.objectContaining({ action: 'credits.granted', target: one.id })
      for (const { id } of [one, by])
        expect((await auditOf(billing.table, id)).filter(isGrant)).toEqual([granted])
    },
  )

  it('a referral that was granted at the registration is not granted again', async () => {
    const by = await referrer()
    const one = await bring(by.code)
    // The row of a user whom an earlier release credited.
    await billing.table.delete({ pk: `user#${one.id}`, sk: 'referral' })
    await verify(one)
    await billing.deliver(completed(sessionOf(await billing.order(one.session, plan))))
    await carryOut()
    expect([await referralsOf(one.id), await referralsOf(by.id)]).toEqual([[], []])
  })

  it('grants credits to the new user even if the owner of the code was deleted', async () => {
    const by = await referrer()
    const one = await bring(by.code)
    await billing.give(by.id, { deletedAt: new Date().toISOString() })
    await verify(one)
    await billing.deliver(completed(sessionOf(await billing.order(one.session, plan))))
    await carryOut()
    expect([await referralsOf(one.id), await referralsOf(by.id)]).toEqual([[ten], []])
  })
})

describe('a year’s hundredth referral', () => {
  const year = new Date().getUTCFullYear()

  it.each([
    [
      'is the last that grants the owner of the code credits',
      { year, count: 98 },
      2,
      { year, count: 100 },
    ],
    ['counts in one year only', { year: year - 1, count: 100 }, 4, { year, count: 4 }],
  ])('%s', async (_, before, credited, after) => {
    const by = await referrer()
    await billing.give(by.id, { creditedReferrals: before })
    const brought = await Promise.all(Array.from({ length: 4 }, () => bring(by.code)))
    for (const one of brought) {
      await billing.deliver(completed(sessionOf(await billing.order(one.session, plan))))
    }
    const answers = await Promise.all(brought.map(verify))
    expect(answers.map((answer) => answer.status)).toEqual(brought.map(() => 302))
    expect(await billing.record(by.id)).toMatchObject({
      creditMicroUsd: credited * ten,
      referralCount: 4,
      creditedReferrals: after,
    })
    for (const { id } of brought) expect(await referralsOf(id)).toEqual([ten])
  })
})

interface Step {
  who: number
  what: 'verify' | 'pack' | 'plan' | 'job'
  doom: number | undefined
}

/** A step of a referred user. With `doom`, the process is killed at one of its table calls. */
const step: fc.Arbitrary<Step> = fc.record({
  who: fc.integer({ min: 0, max: 1 }),
  what: fc.constantFrom('verify' as const, 'pack' as const, 'plan' as const, 'job' as const),
  doom: fc.option(fc.nat(1000), { nil: undefined }),
})

it('grants each side credits once in every order of payments and verifications, under repeats and kills', async () => {
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
  const run = async (rounds: Step[][]) => {
    const by = await referrer()
    const brought = await Promise.all([bring(by.code), bring(by.code)])
    const events = new Map<string, PaymentEventInput>()
    for (const [i, { session }] of brought.entries())
      for (const [what, body] of [
        ['pack', { action: 'buy-credits', pack: 50 }],
        ['plan', plan],
      ] as const) {
        const event = completed(sessionOf(await billing.order(session, body)))
        events.set(`${what} ${i}`, { ...event, id: `evt_${randomUUID()}` })
      }
    const paid = new Set<number>()
    const act = async ({ who, what, doom }: Step): Promise<void> => {
      const one = brought[who] as Brought
      const reach = lifeOf(randomFrom(doom ?? 0), doom !== undefined)
      const table = reach(billing.table)
      if (what === 'job') return carryOut(table).catch(() => {})
      if (what === 'verify')
        return confirmEmail(
          { ...ctx, actor: { type: 'public' }, table, log: createLog() } as never,
          { token: one.token, signedIn: one.id },
        ).catch(() => {})
      const event = events.get(`${what} ${who}`) as PaymentEventInput
      const process = billing.startProcess({ table, queues: reach(billing.services.queues) })
      const [status] = await process.deliver(event)
      // The provider resends rejected events.
      if (status !== 200) await billing.deliver(event)
      paid.add(who)
    }
    for (const together of rounds) await Promise.all(together.map(act))
    await carryOut()
    let credited = 0
    for (const [i, { id }] of brought.entries()) {
      const due = paid.has(i) && (await billing.record(id)).emailVerified
      if (due) credited++
      expect(await referralsOf(id)).toEqual(due ? [ten] : [])
    }
    expect(await referralsOf(by.id)).toEqual(Array.from({ length: credited }, () => ten))
  }
  const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  })
  await fc.assert(fc.asyncProperty(rounds, run), { numRuns: 15, interruptAfterTimeLimit: 60_000 })
  lines.mockRestore()
}, 120_000)
