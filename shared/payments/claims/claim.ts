import type * as z from 'zod'
import { PlatformError } from '../../platform/errors.ts'
import type { Table, Write } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { claimRows } from './rows.ts'

/** A payment as it is stored: who paid, what for, and what has come of it. */
export type Claim = z.output<ReturnType<(typeof claimRows)['declared']['schema']>>

/** The write that takes a payment, for the transaction that makes what it pays for. */
export function claimWrite(payment: string, claim: Claim): Write {
  return { put: claimRows.put({ payment }, claim), if: 'attribute_not_exists(pk)' }
}

/** What a payment was taken for; undefined for one that is fresh. */
export async function findClaim(table: Table, payment: string): Promise<Claim | undefined> {
  const row = await table.get(claimRows.key({ payment }))
  return row && claimRows.parse(row)
}

/**
 * Uses a payment up. Of two that do it, the second finds it done.
 * @param bought what it has bought in the end, where that is kept
 * @throws PlatformError 409 PAYMENT_USED
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
