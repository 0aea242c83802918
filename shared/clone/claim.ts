import type * as z from 'zod'
import { PlatformError } from '../platform/errors.ts'
import type { Table, Write } from '../platform/table/port.ts'
import { absent } from '../platform/table/present.ts'
import { written } from '../platform/table/written.ts'
import { claimRows } from './rows.ts'
import type { CloneRequest } from './schema.ts'

export type Claim = z.output<ReturnType<(typeof claimRows)['declared']['schema']>>

function keyOf(transactionHash: string) {
  return { transactionHash: transactionHash.toLowerCase() }
}

export function orderOf({ parentAgentId, name, specialization, generation }: CloneRequest): string {
  return JSON.stringify([parentAgentId, name, specialization, generation])
}

/** The write that takes a payment, for the transaction that makes what it pays for. */
export function claimWrite(transactionHash: string, claim: Claim): Write {
  return { put: claimRows.put(keyOf(transactionHash), claim), ...absent() }
}

/**
 * The clone that was begun with this payment by the same order and is not finished; undefined for a payment that is
 * fresh.
 * @throws PlatformError 409 PAYMENT_USED
 */
export async function openClaim(
  table: Table,
  request: CloneRequest,
  owner: string | null,
): Promise<Claim | undefined> {
  const row = await table.get(claimRows.key(keyOf(request.paymentProof.transactionHash)))
  if (row === undefined) return undefined
  const claim = claimRows.parse(row)
  if (claim.done || claim.userId !== owner || claim.order !== orderOf(request)) throw paymentUsed()
  return claim
}

/** Uses the payment up. Of two that finish the same clone, the second finds it done. @throws PlatformError 409 */
export async function closeClaim(table: Table, transactionHash: string): Promise<void> {
  const closed = await written(
    table.update(claimRows.key(keyOf(transactionHash)), {
      set: { done: true },
      if: 'attribute_not_exists(#done)',
    }),
  )
  if (!closed) throw paymentUsed()
}

export function paymentUsed(): PlatformError {
  return new PlatformError('conflict', 'The payment was used before', { code: 'PAYMENT_USED' })
}
