import * as z from 'zod'
import {
  claimWrite,
  findClaim,
  paymentUsed,
  useClaim,
} from '#shared/billing/payments/claims/claim.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import type { CloneRequest, PaymentProof } from './schema.ts'

/** The clone that was bought with a payment. */
const clone = z.object({ agentId: z.string(), userId: z.string().nullable() })

export type ClonePurchase = z.output<typeof clone>

/** Returns the id of a payment from its transaction: contract.md 7. */
function paymentOf({ chainId, transactionHash }: PaymentProof): string {
  return `eip155:${chainId}#${transactionHash.toLowerCase()}`
}

/** Returns a text that identifies the order: a request with other values is another order. */
function orderOf(
  { parentAgentId, name, specialization, generation }: CloneRequest,
  owner: string | null,
): string {
  return JSON.stringify([parentAgentId, name, specialization, generation, owner])
}

/** Returns the write that claims the payment, for the transaction that creates the clone. */
export function claimPayment(request: CloneRequest, bought: ClonePurchase): Write {
  const { paymentProof } = request
  const payer = paymentProof.from.toLowerCase()
  const order = orderOf(request, bought.userId)
  return claimWrite(paymentOf(paymentProof), { payer, order, bought })
}

/**
 * Returns the unfinished clone of this payment and order, or undefined for an unused payment.
 * @throws PlatformError 409 PAYMENT_USED
 */
export async function findBegun(
  table: Table,
  request: CloneRequest,
  owner: string | null,
): Promise<ClonePurchase | undefined> {
  const claim = await findClaim(table, paymentOf(request.paymentProof))
  if (claim === undefined) return undefined
  if (claim.used || claim.order !== orderOf(request, owner)) throw paymentUsed()
  return clone.parse(claim.bought)
}

/**
 * Marks the payment as used. If two requests finish the same clone, the second one fails.
 * @throws PlatformError 409
 */
export function usePayment(table: Table, { paymentProof }: CloneRequest): Promise<void> {
  return useClaim(table, paymentOf(paymentProof))
}
