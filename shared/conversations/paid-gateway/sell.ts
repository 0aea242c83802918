import * as z from 'zod'
import { findClaim, paymentUsed, useClaim } from '#shared/billing/payments/claims/claim.ts'
import { claimRetentionSeconds } from '#shared/billing/payments/claims/expiry.ts'
import {
  releasePayment,
  type PaymentLease,
  leasePayment,
} from '#shared/billing/payments/claims/lease.ts'
import { settleClaim } from '#shared/billing/payments/claims/settle.ts'
import { verifyPayment } from '#shared/money/x402/facilitator.ts'
import { payerOf, type X402Payment } from '#shared/money/x402/payment.ts'
import { paymentRequired, paymentResponse } from '#shared/money/x402/required.ts'
import type { PaymentTerms } from '#shared/money/x402/terms.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { openSlot, type OpenSlot } from '#shared/platform/slots/open.ts'
import type { PaidWorkResult, PaidGatewayContext, PaidWork } from './context.ts'
import { demandPayment, resourceOf, shownPayment } from './demand.ts'
import { askAgent } from './plugins/agent.ts'
import { generateText } from './plugins/generate-text.ts'
import { saleParts } from './sales/open.ts'
import { settleSale } from './sales/settle.ts'
import { type GatewayAnswer, gatewayAnswer, type GatewayRequest } from './schema.ts'
import { limitUnpaid } from './unpaid/limit.ts'

/**
 * Time limits in milliseconds since the beginning of the request, below the 60 s of the edge and the function: the work
 * must end within `work`, so that the settlement ends within `settled`.
 */
const withinMs = { work: 42_000, settled: 52_000, lease: 65_000 }

/**
 * The limit of concurrent attempts of a payer: one, from before the verification until after the settlement. Several
 * authorizations can be valid for the same balance, but only one of them can be settled.
 */
const attemptsOfPayer = { kind: 'paid-answer-of-payer', most: 1, what: 'paid answer of the payer' }

/** The purchase of a payment, before and after the settlement. */
const sold = z.object({
  answer: gatewayAnswer,
  /** The agent that answered, its owner, and the id of the turn. */
  seller: z.object({ userId: z.string(), agentId: z.string() }).optional(),
  turn: z.string().optional(),
  /** Epoch seconds of the settlement request if its outcome is unknown. */
  settlingSince: z.number().optional(),
  /** The response headers with the settlement. */
  receipt: z.record(z.string(), z.string()).optional(),
})

type Sold = z.output<typeof sold>

export interface CompletedSale {
  answer: GatewayAnswer
  headers: Record<string, string>
  /**
   * Marks the payment as used. Called after the answer is sent. Never throws, because a sent answer cannot be revoked.
   */
  use(): Promise<void>
  /** Stores the answer for a retry. Called if the reader disconnected. Never throws. */
  leave(): Promise<void>
}

/**
 * Sells one answer for one payment. Checks the plugin (404, 403), the configuration (503), the payment (402), that it
 * is unused (409), that its payer has no other attempt (429), its validity (402), and that not too many answers of the
 * seller remained unpaid today (429). Then the work is done and its answer is stored with the payment; only then is the
 * payment settled. It is marked as used after the answer is sent. If the caller disconnects, the work is finished and
 * settled anyway, and the answer waits for the payer's next request. The process can be killed at any point. Before the
 * answer is stored, the claim of the payment expires and nothing is charged. Afterwards the payment is only valid for
 * the same request: a retry does no work, requests the settlement again and returns the stored answer. If the payment's
 * authorization is then already used, the first settlement used it, because it was unused at the verification and only
 * this claim settles it.
 * @throws PlatformError as listed, and 502 if the work fails or the facilitator gives no definite answer: the payment
 * stays valid
 */
export async function sellAnswer(
  ctx: PaidGatewayContext,
  request: GatewayRequest,
): Promise<CompletedSale> {
  const began = Date.now()
  const work = await workOf(ctx, request).catch((error: unknown) => workDone(ctx, request, error))
  const { terms, payment } = await demandPayment(ctx)
  const { id, payer } = payment
  const order = await orderOf(request, payment)
  const lease = await leasePayment(ctx.table, {
    payment: id,
    payer,
    order,
    seed: ctx.seed,
    forMs: withinMs.lease,
    // Until it is verified, the payment may be forged.
    expiresAt: Math.ceil(began / 1000) + claimRetentionSeconds,
  })
  const before = lease.claim.bought && sold.parse(lease.claim.bought)
  if (lease.claim.used === true) return replayed(before)
  const selling = { terms, payment, lease, before, work, began }
  try {
    const slot = await slotOfPayer(ctx, selling)
    try {
      return await attempted(ctx, selling)
    } finally {
      await slot.release()
    }
  } catch (error) {
    await releasePayment(ctx, lease)
    throw error
  }
}

/**
 * Claims the payer's slot. Others must not be able to occupy it with a forged payment, so a contract's signature, which
 * cannot be checked locally, is verified first.
 * @throws PlatformError 402 for an invalid payment, 429 if another attempt of the payer holds the slot
 */
async function slotOfPayer(ctx: PaidGatewayContext, selling: Selling): Promise<OpenSlot> {
  const { terms, payment, before } = selling
  const isProven = before !== undefined || (await payerOf(payment, terms)) === payment.payer
  if (!isProven) await requireValid(ctx, selling)
  return openSlot(ctx.table, attemptsOfPayer, holderOf(selling))
}

/** Identifies a payer: the chain, the token and the address. */
function holderOf({ terms, payment }: Selling): string {
  const { network, asset } = terms.requirements
  return [network, asset.toLowerCase(), payment.payer].join('#')
}

/** @throws PlatformError 402 for an invalid payment, 502 if it cannot be verified */
async function requireValid(
  ctx: PaidGatewayContext,
  { terms, payment, began }: Selling,
): Promise<void> {
  // Checked only here, because a purchase from before the expiry is still returned.
  if (payment.isLate) throw paymentRequired(terms, resourceOf(ctx), 'it is no longer valid')
  if (payment.validBefore * 1000 < began + withinMs.settled)
    throw paymentRequired(terms, resourceOf(ctx), 'it expires before the work can be settled')
  const verdict = await verifyPayment(terms, payment)
  if (!verdict.good) throw refused(ctx, terms, verdict.reason)
}

function workOf(
  ctx: PaidGatewayContext,
  request: GatewayRequest,
): Promise<PaidWork<GatewayAnswer>> {
  return request.plugin === 'agent' ? askAgent(ctx, request) : generateText(ctx, request)
}

/**
 * Returns the hash of the order. It includes the signature, so that only the signer gets the purchase: others can see a
 * payment's payer and nonce.
 */
function orderOf(request: GatewayRequest, { signature }: X402Payment): Promise<string> {
  return sha256Hex(JSON.stringify([request, signature.toLowerCase()]))
}

/**
 * Returns a stored answer to its payer if the payment may have been settled, even if the agent no longer sells answers.
 * @throws the error of `workOf` if the payment has no such answer
 */
async function workDone(
  ctx: PaidGatewayContext,
  request: GatewayRequest,
  error: unknown,
): Promise<PaidWork<GatewayAnswer>> {
  if (!(error instanceof PlatformError) || error.kind !== 'not-found') throw error
  const payment = (await shownPayment(ctx))?.payment
  const claim = payment && (await findClaim(ctx.table, payment.id))
  const purchase = claim?.bought && sold.parse(claim.bought)
  if (payment === undefined || purchase?.settlingSince === undefined) throw error
  if (claim?.order !== (await orderOf(request, payment))) throw error
  const { seller } = purchase
  return { ...(seller && { seller }), run: () => Promise.reject(error) }
}

/**
 * Returns the stored answer if the request that used the payment is repeated with its Idempotency-Key, because its
 * response may have been lost.
 */
function replayed(before: Sold | undefined): CompletedSale {
  if (before === undefined) throw paymentUsed()
  const nothing = async () => {}
  return { answer: before.answer, headers: before.receipt ?? {}, use: nothing, leave: nothing }
}

interface Selling {
  terms: PaymentTerms
  payment: X402Payment
  lease: PaymentLease
  before: Sold | undefined
  work: PaidWork<GatewayAnswer>
  /** Epoch milliseconds of the beginning of the request. */
  began: number
}

/** Does the work, unless an earlier attempt has done it, and settles the payment. */
async function attempted(ctx: PaidGatewayContext, selling: Selling): Promise<CompletedSale> {
  if (selling.before !== undefined) return settled(ctx, selling, selling.before)
  await requireValid(ctx, selling)
  if (ctx.request.signal.aborted) throw callerDisconnected()
  const { terms, payment, work } = selling
  const attempt = { terms, payment, payer: holderOf(selling), agent: work.seller }
  return limitUnpaid(ctx, attempt, async () => settled(ctx, selling, await worked(selling)))
}

async function settled(
  ctx: PaidGatewayContext,
  selling: Selling,
  { answer, turn }: PaidWorkResult<GatewayAnswer>,
): Promise<CompletedSale> {
  const { table } = ctx
  const { terms, payment, lease, before } = selling
  const { seller } = selling.work
  const purchase = { answer, ...(seller && { seller }), ...(turn !== undefined && { turn }) }
  const sharePercent = ctx.config.X402_PLATFORM_SHARE
  const settlingSince = before?.settlingSince
  const sale =
    seller && (await saleParts(table, { ...seller, payment, turn, sharePercent, settlingSince }))
  const { since, headers, isProven } = await settleClaim(table, {
    terms,
    payment,
    lease,
    bought: purchase,
    settlingSince,
    refusal: (reason) => refused(ctx, terms, reason),
    ...(sale && { beside: sale.beside }),
  })
  const final = { ...purchase, settlingSince: since, receipt: headers }
  const noted = async (write: () => Promise<unknown>) => {
    await write().catch((error: unknown) =>
      ctx.log.warn('a settled payment was not recorded', { payment: payment.id, error }),
    )
  }
  // The owner is credited only for a proven payment; otherwise the schedule searches the proof.
  const credited = sale && isProven ? { key: sale.key } : undefined
  async function leave(): Promise<void> {
    if (credited) await noted(() => settleSale(ctx, credited))
    await releasePayment(ctx, lease)
  }
  if (ctx.request.signal.aborted) {
    await leave()
    throw callerDisconnected()
  }
  return {
    answer,
    headers,
    use: () =>
      noted(async () => {
        const claim = { bought: final }
        if (credited && (await settleSale(ctx, { ...credited, claim })) !== undefined) return
        await useClaim(table, payment.id, final)
      }),
    leave,
  }
}

/** Returns a server error, which is not stored under an Idempotency-Key, so that a retry can get the answer. */
function callerDisconnected(): PlatformError {
  return new PlatformError('unavailable', 'The caller disconnected')
}

/** @throws PlatformError 502 if the work fails */
async function worked({ work, began }: Selling): Promise<PaidWorkResult<GatewayAnswer>> {
  const at = began + withinMs.work
  const deadline = { at, signal: AbortSignal.timeout(Math.max(0, at - Date.now())) }
  try {
    return await work.run(deadline)
  } catch (error) {
    throw workFailed(error)
  }
}

function refused(ctx: PaidGatewayContext, terms: PaymentTerms, reason: string): PlatformError {
  const { network } = terms.requirements
  const settlementResponse = { success: false, errorReason: reason, transaction: '', network }
  return paymentRequired(terms, resourceOf(ctx), reason, paymentResponse(settlementResponse))
}

/** Returns the error of failed work for a payer, without the owner's plan, quota or model. */
function workFailed(error: unknown): PlatformError {
  const known = error instanceof PlatformError ? error : undefined
  if (known?.kind === 'bad-gateway') return known
  if (known?.code === 'SPEND_CAP_REACHED')
    return new PlatformError('unavailable', 'The agent sells no more answers this month', {
      code: known.code,
      cause: error,
    })
  return new PlatformError('bad-gateway', 'The work failed; the payment remains valid: try again', {
    cause: error,
  })
}
