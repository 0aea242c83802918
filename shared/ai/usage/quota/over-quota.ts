import type { Condition } from '#shared/platform/table/port.ts'

/** The share of a call beyond the month's quota, and the condition on the month's row that must hold for it. */
export interface OverQuotaShare extends Condition {
  /** The numerator; `of` is the denominator. */
  parts: number
  of: number
  if: string
}

/**
 * Returns the share of a call beyond the quota. Calls use the quota in the order of their settlement.
 * @param used the month's tokens before the call, as read or assumed
 */
export function shareOverQuota(limit: number, used: number, tokens: number): OverQuotaShare {
  if (used >= limit) return { parts: 1, of: 1, if: '#used >= :limit', values: { limit } }
  const room = limit - tokens
  if (used <= room)
    return { parts: 0, of: 1, if: `(${absentOr('#used <= :room')})`, values: { room } }
  const same = '#used = :seen'
  return {
    parts: used - room,
    of: tokens,
    if: used === 0 ? `(${absentOr(same)})` : same,
    values: { seen: used },
  }
}

/** A month without a settled call has no `used` attribute. */
const absentOr = (condition: string) => `attribute_not_exists(#used) OR ${condition}`

/** Returns the cost of the share beyond the quota, rounded up to a millionth of a dollar. */
export function costOverQuota({ parts, of }: OverQuotaShare, microUsd: number): number {
  if (parts === of) return microUsd
  const whole = BigInt(of)
  return Number((BigInt(microUsd) * BigInt(parts) + whole - 1n) / whole)
}
