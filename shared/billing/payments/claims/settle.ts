import { settlePayment, wasSettled } from '#shared/money/x402/facilitator.ts'
import type { X402Payment } from '#shared/money/x402/payment.ts'
import { paymentResponse } from '#shared/money/x402/required.ts'
import type { PaymentTerms } from '#shared/money/x402/terms.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { claimExpiry } from './expiry.ts'
import { type PaymentLease, storePurchase } from './lease.ts'

export interface ClaimSettlement {
  terms: PaymentTerms
  payment: X402Payment
  lease: PaymentLease
  /** The purchase so far, which is stored in the claim until it is delivered. */
  bought: Record<string, unknown>
  /**
   * Epoch seconds when an earlier attempt requested a settlement of unknown outcome; undefined for the first attempt.
   */
  settlingSince: number | undefined
  /**
   * Additional writes in the transactions that change the claim: before the first settlement request, before a later
   * request, and after a rejection of the first.
   */
  beside?: { asked(since: number): Parts; reopened?: Parts | undefined; refused: Parts }
  /** The error for a payment that is not settled. */
  refusal(reason: string): Error
}

export interface SettledPayment {
  /** The time of the settlement request, in epoch seconds. */
  since: number
  /** The response headers that prove the settlement. */
  headers: Record<string, string>
  /**
   * True if the facilitator settled the payment at this request, or the chain shows the payment. False if only the
   * facilitator reports that an earlier request settled it.
   */
  isProven: boolean
}

/**
 * Settles an x402 payment that this attempt has leased. Before the request to the facilitator, the claim stores
 * `settlingSince`, so that a later attempt detects a settlement in progress. If the later attempt's settlement is
 * rejected, the earlier one may have succeeded, so the chain or the facilitator is queried.
 * @throws the refusal, or PlatformError 409 if another attempt has leased the payment, 502 and 503 if the outcome is
 * unknown
 */
export async function settleClaim(
  table: Table,
  settlement: ClaimSettlement,
): Promise<SettledPayment> {
  const { terms, payment, lease, bought, settlingSince, beside, refusal } = settlement
  const isFirst = settlingSince === undefined
  const since = settlingSince ?? epochSeconds()
  const keep = (what: object, also: Parts | undefined) =>
    storePurchase(table, lease, { ...bought, ...what }, { expiresAt: claimExpiry(payment), also })
  // A later attempt stores it too, because its lease has set an earlier expiry of the row.
  await keep({ settlingSince: since }, isFirst ? beside?.asked(since) : beside?.reopened)
  const verdict = await settlePayment(terms, payment)
  if (verdict.good) return { since, headers: paymentResponse(verdict.value), isProven: true }
  if (isFirst) {
    await keep({}, beside?.refused)
    throw refusal(verdict.reason)
  }
  if (!(await wasSettled({ terms, payment, since }, verdict.reason))) throw refusal(verdict.reason)
  const { network } = terms.requirements
  const response = { success: true, payer: payment.payer, transaction: '', network }
  return { since, headers: paymentResponse(response), isProven: terms.rpc.url !== undefined }
}
