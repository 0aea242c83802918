import type * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { claimRows } from './rows.ts'

/** A stored payment: the payer, the order, and what it bought. */
export type PaymentClaim = z.output<ReturnType<(typeof claimRows)['declared']['schema']>>

/** Returns the write that claims a payment, for the transaction that creates the purchased item. */
export function claimWrite(payment: string, claim: PaymentClaim): Write {
  return { put: claimRows.put({ payment }, claim), if: 'attribute_not_exists(pk)' }
}

/** Returns the claim of a payment, or undefined if it is unclaimed. */
export async function findClaim(table: Table, payment: string): Promise<PaymentClaim | undefined> {
  return claimRows.find(table, { payment })
}

/**
 * Returns the write that marks a payment as used. It is refused if the payment is already used.
 * @param bought the final purchase
 */
export function useWrite(
  payment: string,
  bought?: PaymentClaim['bought'],
): Extract<Write, { update: unknown }> {
  return {
    update: claimRows.key({ payment }),
    set: { used: true, ...(bought !== undefined && { bought }) },
    if: 'attribute_exists(pk) AND attribute_not_exists(#used)',
  }
}

/**
 * Marks a payment as used.
 * @param bought the purchase, if it must be stored
 * @throws PlatformError 409 PAYMENT_USED if it is used already
 */
export async function useClaim(
  table: Table,
  payment: string,
  bought?: PaymentClaim['bought'],
): Promise<void> {
  const { update: key, ...update } = useWrite(payment, bought)
  if (!(await tryWrite(table.update(key, update)))) throw paymentUsed()
}

export function paymentUsed(headers: Record<string, string> = {}): PlatformError {
  const code = 'PAYMENT_USED'
  return new PlatformError('conflict', 'The payment was used before', { code, headers })
}
