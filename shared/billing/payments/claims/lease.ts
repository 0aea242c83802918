import { newSeed } from '#shared/platform/ids.ts'
import { mergeParts, type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import { ConditionFailed, type Item, type Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { type PaymentClaim, paymentUsed } from './claim.ts'
import { claimRows } from './rows.ts'

export interface PaymentLeaseRequest {
  payment: string
  payer: string
  order: string
  /** The request's seed. A retry with the same Idempotency-Key has the same seed. */
  seed: string
  /** Milliseconds. Must be longer than one attempt can take. */
  forMs: number
  expiresAt: number
}

/** A payment that one attempt holds, so that no other attempt can use it at the same time. */
export interface PaymentLease {
  payment: string
  holder: string
  claim: PaymentClaim
}

/**
 * Claims a payment for one attempt. It is free if it is new, if an attempt released it, or if the hold of a killed
 * attempt has expired. A payment that already bought something can only be used for the same order.
 * @returns a claim with `used` only if the request that used it is retried with its seed
 * @throws PlatformError 409 PAYMENT_USED if it is used, held, or bound to another order
 */
export async function leasePayment(
  table: Table,
  { payment, payer, order, seed, forMs, expiresAt }: PaymentLeaseRequest,
  now = Date.now(),
): Promise<PaymentLease> {
  const holder = newSeed()
  try {
    const item = await table.update(claimRows.key({ payment }), {
      set: { payer, order, holder, seed, heldUntil: now + forMs, expiresAt },
      if:
        'attribute_not_exists(pk) OR (attribute_not_exists(#used) AND #heldUntil <= :now ' +
        'AND (attribute_not_exists(#bought) OR #order = :order))',
      values: { now, order },
    })
    return { payment, holder, claim: claimRows.parse(item) }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    return resume({ payment, holder }, error.item, { order, seed })
  }
}

/** Returns the claim again if the response to this write, or to the request that used the payment, was lost. */
function resume(
  attempt: Pick<PaymentLease, 'payment' | 'holder'>,
  item: Item | undefined,
  { order, seed }: Pick<PaymentLeaseRequest, 'order' | 'seed'>,
): PaymentLease {
  const claim = item && claimRows.parse(item)
  if (claim === undefined) throw paymentUsed()
  const own = claim.holder === attempt.holder
  const isRetry = claim.used === true && claim.seed === seed && claim.order === order
  if (own || isRetry) return { ...attempt, claim }
  // The result is known only when the attempt that holds the payment has ended.
  const isAtWork = claim.used === undefined && claim.order === order
  throw paymentUsed(isAtWork ? { 'Retry-After': '5' } : {})
}

/**
 * Stores what the payment bought, until `expiresAt`.
 * @param also further writes of the same transaction
 * @throws PlatformError 409 PAYMENT_USED if another attempt holds it now, or a part of `also` is refused
 */
export async function storePurchase(
  table: Table,
  { payment, holder }: PaymentLease,
  bought: NonNullable<PaymentClaim['bought']>,
  { expiresAt, also }: { expiresAt: number; also?: Parts | undefined },
): Promise<void> {
  const key = claimRows.key({ payment })
  const update = {
    set: { bought, expiresAt },
    if: '#holder = :holder AND attribute_not_exists(#used)',
    values: { holder },
  }
  const isStored =
    also === undefined
      ? await tryWrite(table.update(key, update))
      : (await tryCommit(table, mergeParts({ claim: { update: key, ...update } }, also))) ===
        undefined
  if (!isStored) throw paymentUsed()
}

/** Releases a payment for the next attempt. What it bought stays stored. */
export async function releasePayment(
  table: Table,
  { payment, holder }: PaymentLease,
): Promise<void> {
  await tryWrite(
    table.update(claimRows.key({ payment }), {
      set: { heldUntil: 0 },
      if: '#holder = :holder',
      values: { holder },
    }),
  )
}
