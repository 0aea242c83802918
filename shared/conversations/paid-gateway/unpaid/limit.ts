import { eventWrites } from '#shared/agents/record/events/write.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { verifyPayment } from '#shared/money/x402/facilitator.ts'
import type { X402Payment } from '#shared/money/x402/payment.ts'
import type { PaymentTerms } from '#shared/money/x402/terms.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { type OpenSlot, openSlot } from '#shared/platform/slots/open.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { PaidGatewayContext, PaidWork } from '../context.ts'
import { goodPayerRows } from './rows.ts'

/**
 * The maximum number of answers of one seller that are in progress or were not paid on this day (UTC). Each unpaid
 * answer costs the seller its tokens, and the payer a transaction on the chain.
 */
const most = { agent: 20, platform: 200 }

const daySeconds = 86_400

/** The time in seconds after a payment during which the payer is not limited. */
const goodSeconds = 30 * daySeconds

interface Attempt {
  terms: PaymentTerms
  payment: X402Payment
  /** The chain, the token and the address of the payer. */
  payer: string
  /** The agent that answers; undefined for the platform. */
  agent: PaidWork<unknown>['seller']
}

/**
 * Does the work for a verified payment and settles it, unless too many answers of the seller were not paid on this day.
 * An answer counts as unpaid if its payment is refused because it has become invalid since its verification: the payer
 * has emptied the account, or used or cancelled the authorization. Payers who paid for their last answer of this seller
 * are not limited, so an attacker cannot stop the sales to them.
 * @param sell does the work and settles the payment
 * @throws PlatformError 429 TOO_MANY_OPEN before the work; if unpaid answers alone reach the limit, Retry-After is the
 * time until the end of the day
 */
export async function limitUnpaid<Sale>(
  ctx: PaidGatewayContext,
  attempt: Attempt,
  sell: () => Promise<Sale>,
): Promise<Sale> {
  const { table } = ctx
  const { agent, payer } = attempt
  const seller = agent?.agentId ?? 'platform'
  const limit = {
    kind: 'unpaid-answers',
    most: agent === undefined ? most.platform : most.agent,
    what: 'answers that are not paid yet',
  }
  const key = { seller, payer }
  const slot = await openSlot(table, limit, seller).catch(ifGood)
  // Errors are only logged: a settled payment must not fail because its end is not recorded.
  const noted = async (write: () => Promise<unknown>) => {
    await write().catch((error: unknown) =>
      ctx.log.warn('the end of a paid attempt was not recorded', { seller, error }),
    )
  }
  try {
    const sale = await sell()
    const good = goodPayerRows.put(key, { expiresAt: epochSeconds() + goodSeconds })
    await noted(() => Promise.all([slot?.release(), table.put(good)]))
    return sale
  } catch (error) {
    const isUnpaid = isRefusal(error) && (await isInvalidNow(attempt))
    await noted(async () => (isUnpaid ? keepUnpaid() : slot?.release()))
    throw error
  }

  async function ifGood(error: unknown): Promise<OpenSlot | undefined> {
    if (!(error instanceof PlatformError) || error.code !== 'TOO_MANY_OPEN') throw error
    if ((await table.get(goodPayerRows.key(key))) === undefined) throw error
    return undefined
  }

  async function keepUnpaid(): Promise<void> {
    await table.delete(goodPayerRows.key(key))
    const kept = await slot?.keepUntil((Math.floor(epochSeconds() / daySeconds) + 1) * daySeconds)
    if (kept === limit.most) await noteLimit(ctx, agent)
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof PlatformError && error.kind === 'payment-required'
}

/** Returns false if the facilitator accepts the payment again, so that its refusal was not the payer's fault. */
async function isInvalidNow({ terms, payment }: Attempt): Promise<boolean> {
  return verifyPayment(terms, payment).then(
    ({ good }) => !good,
    () => false,
  )
}

/** Notifies the agent's owner or the operator that new payers are refused until the end of the day. */
async function noteLimit(ctx: PaidGatewayContext, seller: Attempt['agent']): Promise<void> {
  ctx.log.warn('new payers are refused until the end of the day', { agentId: seller?.agentId })
  const agent = seller && (await findAgent(ctx, { agentId: seller.agentId, owner: undefined }))
  if (agent === undefined) return
  const now = Date.now()
  const text = `New payers are refused until the end of the day (UTC): ${most.agent} answers were not paid`
  const happenings = [{ kind: 'configured' as const, text }]
  // The number of the day is larger than the indexes of the agent's own changes.
  const from = Math.floor(now / 1000 / daySeconds)
  await ctx.table.transact(eventWrites(agent, { happenings, by: 'platform', now, from }))
}
