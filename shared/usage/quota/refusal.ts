import { PlatformError } from '../../platform/errors.ts'
import { nextMonth } from '../month.ts'
import { microUsdOf } from './micro-usd.ts'
import { type QuotaRow, type Unit, units } from './row.ts'

/** What one month may hold; null where nothing limits it. */
export interface Limits {
  of: 'user' | 'agent'
  plan: string
  tokens: number | null
  capUsd: number | null
}

/** The limits that there are. */
export function limitsOf({ tokens, capUsd }: Limits): Partial<Record<Unit, number>> {
  return {
    ...(tokens !== null && { tokens }),
    ...(capUsd !== null && { microUsd: microUsdOf(capUsd) }),
  }
}

export interface Refused {
  limits: Limits
  row: QuotaRow
}

/** Why a call may not begin. Money comes before tokens: contract.md 5. */
export function refusalOf(refused: readonly Refused[], now: number): PlatformError {
  const resetsAt = nextMonth(now)
  const headers = { 'Retry-After': String(Math.ceil((resetsAt.getTime() - now) / 1000)) }
  for (const unit of units.toReversed())
    for (const { limits, row } of refused) {
      const limit = limitsOf(limits)[unit]
      if (limit === undefined || row[unit].committed < limit) continue
      const { message, code, details } = (unit === 'tokens' ? quotaWords : capWords)(limits, row)
      const ends = `The ${unit === 'tokens' ? 'quota' : 'cap'} resets at ${resetsAt.toISOString()}.`
      return new PlatformError('too-many-requests', `${message}. ${ends}`, {
        code,
        details: { ...details, resetsAt: resetsAt.toISOString() },
        headers,
      })
    }
  throw new Error('a refused month has room')
}

function quotaWords({ plan, tokens: limit }: Limits, { tokens: { used, committed } }: QuotaRow) {
  const held = committed > used ? `, ${committed - used} held by calls under way` : ''
  return {
    message: `Monthly token quota of the ${plan} plan reached: ${used} of ${limit} tokens used${held}`,
    code: 'QUOTA_EXCEEDED',
    details: { plan, used, limit },
  }
}

function capWords({ of, capUsd }: Limits, { microUsd: { used, committed } }: QuotaRow) {
  const usd = (micro: number) => `$${Number((micro / 1_000_000).toFixed(6))}`
  const held = committed > used ? `, ${usd(committed - used)} held by calls under way` : ''
  return {
    message: `Monthly spend cap of the ${of} reached: ${usd(used)} of $${capUsd} spent${held}`,
    code: 'SPEND_CAP_REACHED',
    details: { spentUsd: used / 1_000_000, capUsd },
  }
}
