import type { Parts } from '../../platform/table/commit.ts'
import type { Table } from '../../platform/table/port.ts'
import { settlePayment, wasSettled } from '../../x402/facilitator.ts'
import type { Payment } from '../../x402/payment.ts'
import { paymentResponse } from '../../x402/required.ts'
import type { PaymentTerms } from '../../x402/terms.ts'
import { type Held, keepBought } from './hold.ts'
import { keptUntil } from './kept.ts'

export interface Settlement {
  terms: PaymentTerms
  payment: Payment
  held: Held
  /** What the payment has bought; it stays with the claim until it is handed over. */
  bought: Record<string, unknown>
  /** Epoch seconds since when an earlier try asks for a settlement of unknown outcome; undefined for the first one. */
  settlingSince: number | undefined
  /** Writes beside the claim: when a settlement is about to be asked for, and when it was refused. */
  beside?: { asked(since: number): Parts; refused: Parts }
  /** The error for a payment that is not settled. */
  refusal(reason: string): Error
}

/** A payment that was settled. */
export interface Settled {
  /** Epoch seconds since when its settlement was asked for. */
  since: number
  /** The headers that show the settlement. */
  headers: Record<string, string>
}

/**
 * Settles a payment of x402 that this try holds. Before the facilitator is asked, the claim keeps `settlingSince`: a later
 * try then knows that a settlement may be under way. If the settlement of a later try is refused, the earlier one may have
 * been carried out, and the chain or the facilitator is asked.
 * @throws the refusal, or PlatformError 409 if another try holds the payment, 502 and 503 if the outcome is unknown
 */
export async function settleHeld(table: Table, settlement: Settlement): Promise<Settled> {
  const { terms, payment, held, bought, settlingSince, beside, refusal } = settlement
  const isFirst = settlingSince === undefined
  const since = settlingSince ?? Math.floor(Date.now() / 1000)
  const keep = (what: object, also: Parts | undefined) =>
    keepBought(table, held, { ...bought, ...what }, { expiresAt: keptUntil(payment), also })
  if (isFirst) await keep({ settlingSince: since }, beside?.asked(since))
  const verdict = await settlePayment(terms, payment)
  if (verdict.good) return { since, headers: paymentResponse(verdict.said) }
  if (isFirst) {
    await keep({}, beside?.refused)
    throw refusal(verdict.reason)
  }
  if (!(await wasSettled({ terms, payment, since }, verdict.reason))) throw refusal(verdict.reason)
  const { network } = terms.requirements
  const said = { success: true, payer: payment.payer, transaction: '', network }
  return { since, headers: paymentResponse(said) }
}
