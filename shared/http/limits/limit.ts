import type { RateLimit } from '../../manifest/types.ts'
import { addressBlock } from '../../platform/address.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Table } from '../../platform/table/port.ts'
import { limitRows } from './rows.ts'

/** A fixed window, as spec.md's limits are per minute. */
const windowSeconds = 60

export interface LimitState {
  /** RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset of the limit that is nearest to its end. */
  headers: Record<string, string>
  /** What to answer instead, where a limit is passed. */
  refusal: PlatformError | undefined
}

/**
 * Counts one request of one client address. All limits that it falls under share one item a window,
 * so the count costs one write for any number of them.
 */
export async function countRequest(
  table: Table,
  surface: string,
  ip: string,
  limits: readonly RateLimit[],
  now = Date.now(),
): Promise<LimitState> {
  const second = Math.floor(now / 1000)
  const start = second - (second % windowSeconds)
  const key = limitRows.key({ surface, block: addressBlock(ip), start: String(start) })
  const counted = limitRows.parse(
    await table.update(key, {
      add: Object.fromEntries(limits.map(({ scope }) => [scope, 1])),
      set: { expiresAt: start + 2 * windowSeconds },
    }),
  )
  const left = (limit: RateLimit) => limit.perMinute - (counted[limit.scope] ?? 0)
  const nearest = limits.reduce((a, b) => (left(b) < left(a) ? b : a))
  const reset = String(start + windowSeconds - second)
  const headers = {
    'RateLimit-Limit': String(nearest.perMinute),
    'RateLimit-Remaining': String(Math.max(0, left(nearest))),
    'RateLimit-Reset': reset,
  }
  if (left(nearest) >= 0) return { headers, refusal: undefined }
  const refusal = new PlatformError(
    'too-many-requests',
    nearest.message ?? 'Too many requests, please slow down.',
    { headers: { ...headers, 'Retry-After': reset } },
  )
  return { headers, refusal }
}
