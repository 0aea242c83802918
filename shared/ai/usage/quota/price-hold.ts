import type { Amount } from '#shared/money/amounts/amount.ts'
import type { PlatformError } from '#shared/platform/errors.ts'
import { expiryFor, acquireSlot } from '#shared/platform/slots/parts.ts'
import type { Item, Table, Write } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { monthOf } from '../month.ts'
import { toMicroUsd } from './micro-usd.ts'
import { type Limits, refusalOf } from './refusal.ts'
import { attributes, quotaKey, toQuota } from './row.ts'
import { type Hold, sweepHolds } from './settlement.ts'

export interface PriceRequest {
  userId: string
  plan: string
  /** The cap of a calendar month; null without a cap. */
  cap: Amount<'USD'> | null
  /** The whole price, known before the work is requested. */
  price: Amount<'USD'>
  /** The maximum duration of the work. After this time, the hold was left by a crash and is released. */
  seconds: number
}

export interface PriceHold {
  hold: Hold
  /** The write that holds the price, if the whole price fits below the cap; undefined without a cap. */
  write: Write | undefined
  /**
   * Releases expired holds after the month has refused `write`, so that `write` can be tried again.
   * @throws PlatformError 429 SPEND_CAP_REACHED if the month is full
   */
  makeRoom(month: Item | undefined): Promise<void>
}

/**
 * Returns the part of a transaction that holds a known price against a user's month. Concurrent orders together never
 * cost more than the cap. For a call to a model, whose price is known only afterwards, use `reserve`. For a second cap,
 * add a second part to the same transaction.
 */
export function holdPrice(
  { table }: { table: Pick<Table, 'update'> },
  { userId, plan, cap, price, seconds }: PriceRequest,
  now = Date.now(),
): PriceHold {
  const amount = cap === null ? 0 : toMicroUsd(price)
  const expiry = expiryFor(now + seconds * 1000)
  const key = quotaKey(userId, monthOf(now))
  const hold: Hold = { key, amounts: { tokens: 0, microUsd: amount }, expiry }
  const limits: Limits = { of: 'user', plan, tokens: null, cap }
  const { committed } = attributes.microUsd
  const room = cap === null ? 0 : toMicroUsd(cap) - amount
  const fits = `#${committed} <= :room`
  return {
    hold,
    write:
      amount === 0
        ? undefined
        : {
            update: key,
            add: acquireSlot(attributes.microUsd, { amount, expiry }),
            if: room >= 0 ? `(attribute_not_exists(#${committed}) OR ${fits})` : fits,
            values: { room },
          },
    async makeRoom(month) {
      const row = toQuota(month)
      const left = sweepHolds(row, now)
      if (left === undefined) throw full(limits, row, amount, now)
      // If another process wrote first, the loop reads the row again.
      await tryWrite(table.update(key, left))
    },
  }
}

function full(
  limits: Limits,
  row: ReturnType<typeof toQuota>,
  priceMicroUsd: number,
  now: number,
): PlatformError {
  return refusalOf([{ limits, row, priceMicroUsd }], now)
}
