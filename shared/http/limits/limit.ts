import { addressBlock } from '../../platform/address.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Table } from '../../platform/table/port.ts'
import type { LimitRule } from './rules.ts'

/** A fixed window, as spec.md's limits are per minute. */
const windowSeconds = 60

export interface LimitState {
  /** RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset of the rule that is nearest to its end. */
  headers: Record<string, string>
  /** What to answer instead, where a limit is passed. */
  refusal: PlatformError | undefined
}

/**
 * Counts one request of one client address. All rules that it falls under share one item a window,
 * so the count costs one write for any number of rules.
 */
export async function countRequest(
  table: Table,
  surface: string,
  ip: string,
  rules: readonly LimitRule[],
  now = Date.now(),
): Promise<LimitState> {
  const second = Math.floor(now / 1000)
  const start = second - (second % windowSeconds)
  const counted = await table.update(
    { pk: `limit#${surface}#${addressBlock(ip)}`, sk: String(start) },
    {
      add: Object.fromEntries(rules.map((rule) => [rule.scope, 1])),
      set: { expiresAt: start + 2 * windowSeconds },
    },
  )
  const left = (rule: LimitRule) => rule.perMinute - Number(counted[rule.scope])
  const nearest = rules.reduce((a, b) => (left(b) < left(a) ? b : a))
  const reset = String(start + windowSeconds - second)
  const headers = {
    'RateLimit-Limit': String(nearest.perMinute),
    'RateLimit-Remaining': String(Math.max(0, left(nearest))),
    'RateLimit-Reset': reset,
  }
  if (left(nearest) >= 0) return { headers, refusal: undefined }
  const refusal = new PlatformError('too-many-requests', nearest.message, {
    headers: { ...headers, 'Retry-After': reset },
  })
  return { headers, refusal }
}
