import { newSeed } from '../../platform/ids.ts'
import { ConditionFailed, type Item, type Table } from '../../platform/table/port.ts'
import { written } from '../../platform/table/written.ts'
import { type Claim, paymentUsed } from './claim.ts'
import { claimRows } from './rows.ts'

export interface HoldRequest {
  payment: string
  payer: string
  order: string
  /** Of the request: the same for a retry under its Idempotency-Key. */
  seed: string
  /** Milliseconds; longer than this process may work for it. */
  forMs: number
  expiresAt: number
}

/** A payment that one try holds, so that no other works for it meanwhile. */
export interface Held {
  payment: string
  holder: string
  claim: Claim
}

/**
 * Takes a payment for one try. It is free while it is new, and once a try gave it back or was killed: its time is over
 * then. What it has bought binds it to what it was bought for.
 * @returns with `used` in the claim only for the request that used it, asked again under its own seed
 * @throws PlatformError 409 PAYMENT_USED: it is used, at work, or bound to another order
 */
export async function holdClaim(
  table: Table,
  { payment, payer, order, seed, forMs, expiresAt }: HoldRequest,
  now = Date.now(),
): Promise<Held> {
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
    return again({ payment, holder }, error.item, { order, seed })
  }
}

/** The answer to this very write was lost on its way, or that to the request which has used the payment. */
function again(
  try_: Pick<Held, 'payment' | 'holder'>,
  item: Item | undefined,
  { order, seed }: Pick<HoldRequest, 'order' | 'seed'>,
): Held {
  const claim = item && claimRows.parse(item)
  if (claim === undefined) throw paymentUsed()
  const own = claim.holder === try_.holder
  const asked = claim.used === true && claim.seed === seed && claim.order === order
  if (own || asked) return { ...try_, claim }
  // Whether it buys anything is known only once the try that works for it has ended.
  const isAtWork = claim.used === undefined && claim.order === order
  throw paymentUsed(isAtWork ? { 'Retry-After': '5' } : {})
}

/** Keeps what the payment has bought, for that long. @throws PlatformError 409 where another try holds it by now */
export async function keepBought(
  table: Table,
  { payment, holder }: Held,
  bought: NonNullable<Claim['bought']>,
  expiresAt: number,
): Promise<void> {
  const kept = await written(
    table.update(claimRows.key({ payment }), {
      set: { bought, expiresAt },
      if: '#holder = :holder AND attribute_not_exists(#used)',
      values: { holder },
    }),
  )
  if (!kept) throw paymentUsed()
}

/** Gives a payment back at once, for the next try; what it has bought stays bought. */
export async function giveBack(table: Table, { payment, holder }: Held): Promise<void> {
  await written(
    table.update(claimRows.key({ payment }), {
      set: { heldUntil: 0 },
      if: '#holder = :holder',
      values: { holder },
    }),
  )
}
