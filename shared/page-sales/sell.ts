import * as z from 'zod'
import { type Claim, findClaim, paymentUsed, useClaim } from '../payments/claims/claim.ts'
import { giveBack, type Held, holdClaim } from '../payments/claims/hold.ts'
import { keptSeconds } from '../payments/claims/kept.ts'
import { settleHeld } from '../payments/claims/settle.ts'
import { sha256Hex } from '../platform/crypto.ts'
import type { Log } from '../platform/log.ts'
import type { Table } from '../platform/table/port.ts'
import { verifyPayment } from '../x402/facilitator.ts'
import { type Payment, PaymentRefused, readPayment } from '../x402/payment.ts'
import { paymentRequired } from '../x402/required.ts'
import { type PaymentTerms, requireTerms, type TermsSettings } from '../x402/terms.ts'

export interface PageSalesContext {
  table: Table
  log: Log
  seed: string
  request: Request
  config: TermsSettings & { SUMMARIZER_URL: string }
  /** SUMMARIZER_PRICE_USD. */
  price: string
}

/** What is sold, before anything is paid or fetched. */
export interface PageOrder<Answer> {
  /** Of the route that sells it. */
  path: string
  body: unknown
  /** May be done twice: after a fault the payer's next try does it again. */
  work(): Promise<Answer>
}

/** Longer than the function lives. */
const heldMs = 45_000

/** Epoch seconds since when a settlement of unknown outcome is asked for. */
const bought = z.object({ settlingSince: z.number().optional() })

/**
 * Sells one answer for one payment by x402, as `/api/v1/gateway` does: configuration (503), payment (402), whether it is
 * good (402), whether it is free (409); then the work, then the settlement, then the answer. Work that fails costs nothing.
 *
 * A process may be killed at any point: the payment is free again once it is surely gone. What was being settled by then
 * is good for this very request alone: its next try does the work again, and an authorization that is used by then was
 * used by that settlement.
 * @returns the answer, and the headers that tell of the settlement
 * @throws PlatformError as listed, 502 where the facilitator cannot tell, and what the work throws
 */
export async function sellPage<Answer>(
  ctx: PageSalesContext,
  { path, body, work }: PageOrder<Answer>,
): Promise<{ answer: Answer; headers: Record<string, string> }> {
  const terms = await requireTerms(ctx.config, { feature: 'Paying for pages', price: ctx.price })
  const resource = {
    url: ctx.config.SUMMARIZER_URL + path,
    description: 'What one web page says',
    mimeType: 'application/json',
  }
  const refusal = (reason?: string, headers?: Record<string, string>) =>
    paymentRequired(terms, resource, reason, headers)
  const payment = shownPayment(ctx, terms, refusal)
  await requireGood(ctx.table, { terms, payment, refusal })
  const held = await holdClaim(ctx.table, {
    payment: payment.id,
    payer: payment.payer,
    order: await sha256Hex(JSON.stringify([path, body, payment.signature.toLowerCase()])),
    seed: ctx.seed,
    forMs: heldMs,
    expiresAt: Math.floor(Date.now() / 1000) + keptSeconds,
  })
  if (held.claim.used === true) throw paymentUsed()
  try {
    return await sold({ ctx, terms, payment, held, work, refusal })
  } catch (error) {
    await giveBack(ctx.table, held).catch((failure: unknown) =>
      ctx.log.warn('a payment was not given back', { payment: payment.id, error: failure }),
    )
    throw error
  }
}

/**
 * Looks at a payment before anything is written of it: only one that the facilitator calls good gets a row. One that was
 * good before has a claim; what was being settled is no longer called good, and is not asked about again.
 */
async function requireGood(
  table: Table,
  { terms, payment, refusal }: { terms: PaymentTerms; payment: Payment; refusal: Refusal },
): Promise<void> {
  const claim = await findClaim(table, payment.id)
  if (claim?.used === true || settlingSinceOf(claim) !== undefined) return
  if (payment.isLate) throw refusal('it is valid no more')
  const verdict = await verifyPayment(terms, payment)
  if (verdict.good) return
  // Another request may have settled it meanwhile.
  const now = await findClaim(table, payment.id)
  const isTaken = now?.used === true || (now?.heldUntil ?? 0) > Date.now()
  throw isTaken ? paymentUsed() : refusal(verdict.reason)
}

function settlingSinceOf(claim: Pick<Claim, 'bought'> | undefined): number | undefined {
  return bought.parse(claim?.bought ?? {}).settlingSince
}

type Refusal = (reason?: string, headers?: Record<string, string>) => Error

function shownPayment(
  { request }: PageSalesContext,
  terms: PaymentTerms,
  refusal: Refusal,
): Payment {
  const shown = request.headers.get('payment-signature')
  if (shown === null || shown === '') throw refusal()
  try {
    return readPayment(shown, terms)
  } catch (error) {
    throw error instanceof PaymentRefused ? refusal(error.message) : error
  }
}

interface Selling<Answer> {
  ctx: PageSalesContext
  terms: PaymentTerms
  payment: Payment
  held: Held
  work(): Promise<Answer>
  refusal: Refusal
}

async function sold<Answer>({ ctx, terms, payment, held, work, refusal }: Selling<Answer>) {
  const settlingSince = settlingSinceOf(held.claim)
  const answer = await work()
  const order = { terms, payment, held, bought: {}, settlingSince, refusal }
  const { since, headers } = await settleHeld(ctx.table, order)
  // It is settled: an answer that is paid for is given, also where this cannot be noted.
  await useClaim(ctx.table, payment.id, { settlingSince: since }).catch((error: unknown) =>
    ctx.log.warn('a payment was not noted as used', { payment: payment.id, error }),
  )
  return { answer, headers }
}
