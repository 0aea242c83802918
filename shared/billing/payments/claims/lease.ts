import type { Log } from '#shared/platform/log.ts'
import { mergeParts, type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { holder } from '#shared/platform/work/fence.ts'
import { type PaymentClaim, paymentUsed } from './claim.ts'
import { claimRows } from './rows.ts'

export interface PaymentLeaseRequest {
  payment: string
  payer: string
  order: string
  /** The request's seed. A retry with the same Idempotency-Key has the same seed. */
  seed: string
  /** The duration in milliseconds. Must be longer than one attempt can take. */
  forMs: number
  expiresAt: number
}

/** A payment that one attempt holds, so that no other attempt can use it at the same time. */
export interface PaymentLease {
  payment: string
  claim: PaymentClaim
}

/** The lease of a payment. It is claimed again by the payer's retry, not by a tick. */
const hold = holder('holder', 'heldUntil')

/**
 * Claims a payment for one attempt. It is available if it is new, if an attempt released it, or if the lease of a
 * killed attempt has expired. A payment with a purchase can only be used for the same order.
 * @returns a claim with `used` only if the request that used it is retried with its seed
 * @throws PlatformError 409 PAYMENT_USED if it is used, leased, or bound to another order
 */
export async function leasePayment(
  table: Table,
  { payment, payer, order, seed, forMs, expiresAt }: PaymentLeaseRequest,
  now = Date.now(),
): Promise<PaymentLease> {
  const attempt = hold.claim({}, { now, until: now + forMs })
  try {
    const item = await table.update(claimRows.key({ payment }), {
      set: { ...attempt.set, payer, order, seed, expiresAt },
      if:
        `attribute_not_exists(#used) AND ${attempt.if} ` +
        'AND (attribute_not_exists(#bought) OR #order = :order)',
      values: { ...attempt.values, order },
    })
    return { payment, claim: claimRows.parse(item) }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    const found = error.item && claimRows.parse(error.item)
    return { payment, claim: resume(found, { order, seed, token: attempt.set?.['holder'] }) }
  }
}

/** Returns the claim again if the response to this write, or to the request that used the payment, was lost. */
function resume(
  claim: PaymentClaim | undefined,
  { order, seed, token }: Pick<PaymentLeaseRequest, 'order' | 'seed'> & { token: unknown },
): PaymentClaim {
  if (claim === undefined) throw paymentUsed()
  const isRetry = claim.used === true && claim.seed === seed && claim.order === order
  if (claim.holder === token || isRetry) return claim
  // The result is known only when the attempt that holds the payment has ended.
  const isAtWork = claim.used === undefined && claim.order === order
  throw paymentUsed(isAtWork ? { 'Retry-After': '5' } : {})
}

/**
 * Stores the purchase of a payment until `expiresAt`.
 * @param also additional writes of the same transaction
 * @throws PlatformError 409 PAYMENT_USED if another attempt has leased it, or a part of `also` is refused
 */
export async function storePurchase(
  table: Table,
  { payment, claim }: PaymentLease,
  bought: NonNullable<PaymentClaim['bought']>,
  { expiresAt, also }: { expiresAt: number; also?: Parts | undefined },
): Promise<void> {
  const key = claimRows.key({ payment })
  const still = hold.still(claim)
  const update = {
    set: { bought, expiresAt },
    ...still,
    if: `${still.if} AND attribute_not_exists(#used)`,
  }
  const isStored =
    also === undefined
      ? await tryWrite(table.update(key, update))
      : (await tryCommit(table, mergeParts({ claim: { update: key, ...update } }, also))) ===
        undefined
  if (!isStored) throw paymentUsed()
}

/**
 * Releases a payment for the next attempt. Its purchase remains stored. Never throws: if the write fails, the lease
 * expires.
 */
export async function releasePayment(
  { table, log }: { table: Table; log: Log },
  { payment, claim }: PaymentLease,
): Promise<void> {
  const update = { ...hold.released, ...hold.still(claim) }
  await tryWrite(table.update(claimRows.key({ payment }), update)).catch((error: unknown) =>
    log.warn('a payment was not released', { payment, error }),
  )
}
