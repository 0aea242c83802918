import * as z from 'zod'
import {
  type PaymentClaim,
  findClaim,
  paymentUsed,
  useClaim,
} from '#shared/billing/payments/claims/claim.ts'
import { claimRetentionSeconds } from '#shared/billing/payments/claims/expiry.ts'
import {
  releasePayment,
  type PaymentLease,
  leasePayment,
} from '#shared/billing/payments/claims/lease.ts'
import { settleClaim } from '#shared/billing/payments/claims/settle.ts'
import { verifyPayment } from '#shared/money/x402/facilitator.ts'
import { type X402Payment, PaymentRefused, readPayment } from '#shared/money/x402/payment.ts'
import { paymentRequired } from '#shared/money/x402/required.ts'
import { type PaymentTerms, requireTerms, type TermsSettings } from '#shared/money/x402/terms.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'

/** The terms of a sale, and the request that pays. */
export interface PageOffer {
  request: Request
  config: TermsSettings & { SUMMARIZER_URL: string }
  /** SUMMARIZER_PRICE_USD. */
  price: string
}

/** A validated request, before payment and work. */
export interface PageOrder<Answer> {
  /** The path of the selling route. */
  path: string
  body: unknown
  /** Does the work. It must be repeatable, because the payer's retry repeats it after a failure. */
  work(): Promise<Answer>
}

/** Longer than the function's timeout. */
const leaseMs = 45_000

/** Epoch seconds of the settlement request if its outcome is unknown. */
const purchase = z.object({ settlingSince: z.number().optional() })

/**
 * Sells one answer for one payment by x402, like `/api/v1/gateway`. Checks the configuration (503), the payment (402),
 * its validity (402) and that it is unused (409); then does the work, settles, and returns the answer. Failed work
 * costs nothing. The process can be killed at any point: the payment can be used again when the process has certainly
 * ended. A payment in settlement is only valid for the same request: the retry repeats the work, and if the
 * authorization is already used, the earlier settlement used it.
 * @returns the answer, and the headers with the settlement
 * @throws PlatformError as listed, 502 if the facilitator gives no definite answer, and the errors of the work
 */
export async function sellPage<Answer>(
  ctx: Pick<Context, 'table' | 'log' | 'seed'> & PageOffer,
  { path, body, work }: PageOrder<Answer>,
): Promise<{ answer: Answer; headers: Record<string, string> }> {
  const terms = await requireTerms(ctx.config, { feature: 'Paying for pages', price: ctx.price })
  const resource = {
    url: ctx.config.SUMMARIZER_URL + path,
    description: 'The content of one web page',
    mimeType: 'application/json',
  }
  const refusal = (reason?: string, headers?: Record<string, string>) =>
    paymentRequired(terms, resource, reason, headers)
  const payment = shownPayment(ctx, terms, refusal)
  await requireGood(ctx.table, { terms, payment, refusal })
  const lease = await leasePayment(ctx.table, {
    payment: payment.id,
    payer: payment.payer,
    order: await sha256Hex(JSON.stringify([path, body, payment.signature.toLowerCase()])),
    seed: ctx.seed,
    forMs: leaseMs,
    expiresAt: epochSeconds() + claimRetentionSeconds,
  })
  if (lease.claim.used === true) throw paymentUsed()
  try {
    return await sold({ ctx, terms, payment, lease, work, refusal })
  } catch (error) {
    await releasePayment(ctx, lease)
    throw error
  }
}

/**
 * Verifies a payment before anything is stored: only a payment that the facilitator accepts gets a row. A payment that
 * was valid before has a claim; during settlement the facilitator no longer accepts it, so it is not verified again.
 */
async function requireGood(
  table: Table,
  { terms, payment, refusal }: { terms: PaymentTerms; payment: X402Payment; refusal: Refusal },
): Promise<void> {
  const claim = await findClaim(table, payment.id)
  if (claim?.used === true || settlingSinceOf(claim) !== undefined) return
  if (payment.isLate) throw refusal('it is no longer valid')
  const verdict = await verifyPayment(terms, payment)
  if (verdict.good) return
  // Another request may have settled it in the meantime.
  const now = await findClaim(table, payment.id)
  const isTaken = now?.used === true || (now?.heldUntil ?? 0) > Date.now()
  throw isTaken ? paymentUsed() : refusal(verdict.reason)
}

function settlingSinceOf(claim: Pick<PaymentClaim, 'bought'> | undefined): number | undefined {
  return purchase.parse(claim?.bought ?? {}).settlingSince
}

type Refusal = (reason?: string, headers?: Record<string, string>) => Error

function shownPayment(
  { request }: Pick<Context, 'table' | 'log' | 'seed'> & PageOffer,
  terms: PaymentTerms,
  refusal: Refusal,
): X402Payment {
  const shown = request.headers.get('payment-signature')
  if (shown === null || shown === '') throw refusal()
  try {
    return readPayment(shown, terms)
  } catch (error) {
    throw error instanceof PaymentRefused ? refusal(error.message) : error
  }
}

interface Selling<Answer> {
  ctx: Pick<Context, 'table' | 'log' | 'seed'> & PageOffer
  terms: PaymentTerms
  payment: X402Payment
  lease: PaymentLease
  work(): Promise<Answer>
  refusal: Refusal
}

async function sold<Answer>({ ctx, terms, payment, lease, work, refusal }: Selling<Answer>) {
  const settlingSince = settlingSinceOf(lease.claim)
  const answer = await work()
  const order = { terms, payment, lease, bought: {}, settlingSince, refusal }
  const { since, headers } = await settleClaim(ctx.table, order)
  // The payment is settled, so the answer is returned even if this write fails.
  await useClaim(ctx.table, payment.id, { settlingSince: since }).catch((error: unknown) =>
    ctx.log.warn('a payment was not recorded as used', { payment: payment.id, error }),
  )
  return { answer, headers }
}
