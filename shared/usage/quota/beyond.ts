import type { Condition } from '../../platform/table/port.ts'

/** How much of a call lies beyond the month's quota, and the condition on the month's row under which that is so. */
export interface Beyond extends Condition {
  /** So many of `of` parts. */
  parts: number
  of: number
  if: string
}

/**
 * Calls count in the order in which they settle: what a call counts beyond the limit is beyond the quota.
 * @param used the month's tokens before the call, as they were seen or are supposed to be
 */
export function beyondQuota(limit: number, used: number, tokens: number): Beyond {
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

/** A month in which no call has settled yet has used nothing. */
const absentOr = (condition: string) => `attribute_not_exists(#used) OR ${condition}`

/** What of a call's cost falls on the part beyond the quota, rounded up to a millionth of a dollar. */
export function costBeyond({ parts, of }: Beyond, microUsd: number): number {
  if (parts === of) return microUsd
  const whole = BigInt(of)
  return Number((BigInt(microUsd) * BigInt(parts) + whole - 1n) / whole)
}
