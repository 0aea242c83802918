import * as z from 'zod'
import { claimWrite, findClaim, paymentUsed, useClaim } from '../payments/claims/claim.ts'
import type { Table, Write } from '../platform/table/port.ts'
import type { CloneRequest, PaymentProof } from './schema.ts'

/** What a payment for a clone has bought. */
const clone = z.object({ agentId: z.string(), userId: z.string().nullable() })

export type Bought = z.output<typeof clone>

/** A payment by its transaction: contract.md 7. */
function paymentOf({ chainId, transactionHash }: PaymentProof): string {
  return `eip155:${chainId}#${transactionHash.toLowerCase()}`
}

/** A retry that asks for something else is another clone. */
function orderOf(
  { parentAgentId, name, specialization, generation }: CloneRequest,
  owner: string | null,
): string {
  return JSON.stringify([parentAgentId, name, specialization, generation, owner])
}

/** The write that takes the payment, for the transaction that makes the clone. */
export function takePayment(request: CloneRequest, bought: Bought): Write {
  const { paymentProof } = request
  const payer = paymentProof.from.toLowerCase()
  const order = orderOf(request, bought.userId)
  return claimWrite(paymentOf(paymentProof), { payer, order, bought })
}

/**
 * The clone that was begun with this payment by the same order and is not finished; undefined for a payment that is
 * fresh.
 * @throws PlatformError 409 PAYMENT_USED
 */
export async function findBegun(
  table: Table,
  request: CloneRequest,
  owner: string | null,
): Promise<Bought | undefined> {
  const claim = await findClaim(table, paymentOf(request.paymentProof))
  if (claim === undefined) return undefined
  if (claim.used || claim.order !== orderOf(request, owner)) throw paymentUsed()
  return clone.parse(claim.bought)
}

/** Uses the payment up. Of two that finish the same clone, the second finds it done. @throws PlatformError 409 */
export function usePayment(table: Table, { paymentProof }: CloneRequest): Promise<void> {
  return useClaim(table, paymentOf(paymentProof))
}
