import type { Amount } from '#shared/money/amounts/amount.ts'
import { expiryFor } from '#shared/platform/slots/parts.ts'
import type { Item, Table, Write } from '#shared/platform/table/port.ts'
import { claimWrite, firstSweep } from './claim-write.ts'
import { claimsOf } from './claims.ts'
import { makeRoom } from './make-room.ts'
import { toMicroUsd } from './micro-usd.ts'
import { refusalOf } from './refusal.ts'
import { toQuota } from './row.ts'
import type { Hold } from './settlement.ts'
import type { SpendLimit } from './spend-limit.ts'

export interface PriceRequest {
  userId: string
  plan: string
  /** The cap of a calendar month; null without a cap. */
  cap: Amount<'USD'> | null
  /** The daily cap of the user, and the limits of the API key. */
  spendLimits: readonly SpendLimit[]
  /** The whole price, known before the work is requested. */
  price: Amount<'USD'>
  /** The maximum duration of the work. After this time, the hold was left by a crash and is released. */
  seconds: number
}

/** The hold of a price on one row. */
export interface PriceHold {
  hold: Hold
  /** The write that holds the price, if the whole price fits below the limit. */
  write: Write
  /**
   * Prepares the row that refused `write` for another attempt: counts the earlier spending of its period, or releases
   * expired holds.
   * @throws PlatformError 429 SPEND_CAP_REACHED if the price does not fit
   */
  makeRoom(row: Item | undefined): Promise<void>
}

/** The holds of a price. */
export interface PriceHolds {
  /** The hold on the user's month; undefined without a cap. */
  month: PriceHold | undefined
  /** The holds on the rows of `spendLimits`, in their order. */
  limits: readonly PriceHold[]
}

/**
 * Returns the parts of a transaction that hold a known price against every limit. Concurrent orders together never cost
 * more than a limit. For a call to a model, whose price is known only afterwards, use `reserve`.
 */
export function holdPrice(
  { table }: { table: Table },
  { seconds, price, ...request }: PriceRequest,
  now = Date.now(),
): PriceHolds {
  const priceMicroUsd = toMicroUsd(price)
  const amounts = { tokens: 0, microUsd: priceMicroUsd }
  const [ofMonth, ...ofLimits] = claimsOf(
    { ...request, agentId: null, limit: null, agentCap: null, amounts },
    now,
  ).map((claim): PriceHold => {
    const { slotUntil: _, ...held } = claim.hold
    const hold: Hold = { ...held, expiry: expiryFor(now + seconds * 1000) }
    const priced = { ...claim, hold }
    return {
      hold,
      write: { update: hold.key, ...claimWrite(priced, { whole: true }, firstSweep(now)) },
      async makeRoom(item) {
        const refused = [{ ...priced, row: toQuota(item), priceMicroUsd }]
        if (!(await makeRoom(table, refused, now))) throw refusalOf(refused, now)
      },
    }
  })
  return { month: request.cap === null ? undefined : ofMonth, limits: ofLimits }
}
