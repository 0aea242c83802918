import type { UsdcChain } from '#shared/money/evm/usdc.ts'
import type { Finality } from '#shared/network/splits/chain/finality.ts'
import { returnParts } from '#shared/permits/mandates/hold.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { unlessLeaseLost } from '#shared/platform/work/lease-lost.ts'
import { observePayment } from '../chain/observe.ts'
import { type AgentPayment, readAgentPayment } from '../payment.ts'
import type { PaymentCheck } from '../topic.ts'
import { checkWork } from './work.ts'

export type CheckContext = Pick<Context, 'table' | 'log'> &
  Sends<'agent-payments'> &
  Can<'clock'> & { chain: UsdcChain; finality: Finality }

/**
 * The retention of decided payments in seconds. A settled one is a business record, which HMRC requires for six years
 * from the end of the financial year
 * (https://www.gov.uk/running-a-limited-company/company-and-accounting-records).
 */
const retention = { settled: 7 * 366 * 86_400, returned: 400 * 86_400 }

/** The bounds of the time between two checks in seconds. Within them, it equals the age of the payment. */
const pause = { least: 5, most: 3600 }

/** After this number of checks, a used authorization is settled without the hash of its transaction. */
const searches = 10

/**
 * Checks the outcome of a payment on the chain once: settles it if the token has taken it, returns its amount if it can
 * never be taken, and otherwise requests the next check.
 */
export async function checkPayment(ctx: CheckContext, message: PaymentCheck): Promise<void> {
  const { clock = Date.now } = ctx
  const row = await readAgentPayment(ctx.table, message)
  const payment = row && (await checkWork.claim(ctx, row, { message, now: clock() }))
  if (payment === undefined) return
  await unlessLeaseLost(decide(ctx, payment, clock()))
}

async function decide(ctx: CheckContext, payment: AgentPayment, now: number): Promise<void> {
  const { paymentId, attempts, microUsd } = payment
  const seen = await observed(ctx, payment)
  const isKnown = seen?.kind === 'used' && (seen.txHash !== undefined || attempts >= searches)
  if (isKnown) {
    const expiresAt = epochSeconds(now) + retention.settled
    const set = { state: 'settled', txHash: seen.txHash ?? null, expiresAt }
    await checkWork.finish(ctx, payment, { set })
  } else if (seen?.kind === 'over') {
    const expiresAt = epochSeconds(now) + retention.returned
    const change = { set: { state: 'returned', expiresAt }, remove: ['envelope'] }
    await checkWork.finish(ctx, payment, change, returnParts(payment, payment.isCapped))
  } else {
    const age = Math.ceil((now - Date.parse(payment.at)) / 1000)
    await checkWork.later(ctx, payment, Math.max(pause.least, Math.min(age, pause.most)), { now })
    return
  }
  ctx.log.info(
    'the chain has decided a payment',
    { paymentId, outcome: seen.kind, microUsd },
    {
      by: [['function']],
      of: {
        AgentPaymentsSettled: [isKnown ? 1 : 0, 'Count'],
        AgentPaymentsReturned: [isKnown ? 0 : 1, 'Count'],
      },
    },
  )
}

/** @returns undefined if the node does not answer: the amount stays held */
async function observed({ chain, finality, log }: CheckContext, payment: AgentPayment) {
  try {
    return await observePayment(chain, finality, payment)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    log.warn('the outcome of a payment is unknown', { paymentId: payment.paymentId, error })
    return undefined
  }
}
