import type * as z from 'zod'
import { PlatformError } from '../../platform/errors.ts'
import type { Table, Write } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { claimRows } from './rows.ts'

/** A stored payment: the payer, the order, and what it bought. */
export type Claim = z.output<ReturnType<(typeof claimRows)['declared']['schema']>>

/** Returns the write that claims a payment, for the transaction that creates what it pays for. */
export function claimWrite(payment: string, claim: Claim): Write {
  return { put: claimRows.put({ payment }, claim), if: 'attribute_not_exists(pk)' }
}

/** Returns the claim of a payment, or undefined if it is unclaimed. */
export async function findClaim(table: Table, payment: string): Promise<Claim | undefined> {
  const row = await table.get(claimRows.key({ payment }))
  return row && claimRows.parse(row)
}

/**
 * Marks a payment as used.
 * @param bought what the payment bought, if it must be stored
 * @throws PlatformError 409 PAYMENT_USED if it is used already
 */
export async function useClaim(
  table: Table,
  payment: string,
  bought?: Claim['bought'],
): Promise<void> {
  const used = await written(
    table.update(claimRows.key({ payment }), {
      set: { used: true, ...(bought !== undefined && { bought }) },
      if: 'attribute_exists(pk) AND attribute_not_exists(#used)',
    }),
  )
  if (!used) throw paymentUsed()
}

export function paymentUsed(headers: Record<string, string> = {}): PlatformError {
  const code = 'PAYMENT_USED'
  return new PlatformError('conflict', 'The payment was used before', { code, headers })
}
