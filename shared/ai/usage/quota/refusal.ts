import { type Amount, format, toNumber } from '#shared/money/amounts/amount.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { tooManyOpen } from '#shared/platform/slots/open.ts'
import { nextDay, nextMonth } from '../month.ts'
import { fromMicroUsd, toMicroUsd } from './micro-usd.ts'
import { maxOpenCalls } from './open-calls.ts'
import { type Balance, type QuotaRow, type Unit, units } from './row.ts'
import type { Period } from './spend-limit.ts'

/** The limits of a month or a day; null for no limit. */
export interface Limits {
  of: 'user' | 'agent' | 'key'
  /** Default: month. */
  period?: Period | undefined
  plan: string
  tokens: number | null
  cap: Amount<'USD'> | null
}

/** Returns the limits that are set. */
export function limitsOf({ tokens, cap }: Limits): Partial<Record<Unit, number>> {
  return {
    ...(tokens !== null && { tokens }),
    ...(cap !== null && { microUsd: toMicroUsd(cap) }),
  }
}

export interface QuotaRefusal {
  limits: Limits
  row: QuotaRow
  /** A price that must fit below the cap completely; absent for a call, which can start if any amount is left. */
  priceMicroUsd?: number
}

/**
 * Returns the error for a rejected call. The spend cap is checked before the quota, and the open calls last: contract.md
 * 5 and 20.
 */
export function refusalOf(refused: readonly QuotaRefusal[], now: number): PlatformError {
  for (const unit of units.toReversed())
    for (const { limits, row, priceMicroUsd = 0 } of refused) {
      const limit = limitsOf(limits)[unit]
      if (limit === undefined || !isFull(row[unit], limit, priceMicroUsd)) continue
      const { message, code, details } =
        unit === 'tokens'
          ? quotaMessage(limits, row[unit], limit)
          : capMessage(limits, row[unit], { limit, priceMicroUsd })
      const resetsAt = limits.period === 'day' ? nextDay(now) : nextMonth(now)
      const ends = `The ${unit === 'tokens' ? 'quota' : 'cap'} resets at ${resetsAt.toISOString()}.`
      return new PlatformError('too-many-requests', `${message}. ${ends}`, {
        code,
        details: { ...details, resetsAt: resetsAt.toISOString() },
        headers: { 'Retry-After': String(Math.ceil((resetsAt.getTime() - now) / 1000)) },
      })
    }
  if (refused.some(({ row }) => isCrowded(row)))
    return tooManyOpen({ most: maxOpenCalls, what: 'calls of models' })
  throw new Error('a refused month has room')
}

/** Returns whether all slots of open calls are taken. */
export function isCrowded({ open }: QuotaRow): boolean {
  return open.committed >= maxOpenCalls
}

/** @param price a price that must fit completely; 0 for a call, which can start if any amount is left */
function isFull({ committed }: Balance, limit: number, price: number): boolean {
  return price > 0 ? committed + price > limit : committed >= limit
}

function quotaMessage({ plan }: Limits, { used, committed }: Balance, limit: number) {
  const heldText = committed > used ? `, ${committed - used} reserved by calls in progress` : ''
  return {
    message: `Monthly token quota of the ${plan} plan reached: ${used} of ${limit} tokens used${heldText}`,
    code: 'QUOTA_EXCEEDED',
    details: { plan, used, limit },
  }
}

function capMessage(
  { of, period }: Limits,
  { used, committed }: Balance,
  { limit, priceMicroUsd }: { limit: number; priceMicroUsd: number },
) {
  const [spent, cap] = [fromMicroUsd(used), fromMicroUsd(limit)]
  const heldText =
    committed > used
      ? `, $${format(fromMicroUsd(committed - used))} reserved by calls in progress`
      : ''
  const price = priceMicroUsd > 0 ? `, and this costs $${format(fromMicroUsd(priceMicroUsd))}` : ''
  const ofName = of === 'key' ? 'API key' : of
  return {
    message: `${period === 'day' ? 'Daily' : 'Monthly'} spend cap of the ${ofName} reached: $${format(spent)} of $${format(cap)} spent${heldText}${price}`,
    code: 'SPEND_CAP_REACHED',
    details: {
      ...(of === 'key' && { of }),
      spentUsd: toNumber(spent),
      capUsd: toNumber(cap),
    },
  }
}
