import type { RateLimit } from '#shared/manifest/types.ts'
import { addressBlock } from '#shared/platform/address.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Actor } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { limitRows } from './rows.ts'

/** The length of the fixed window, because the limits of spec.md are per minute. */
const windowSeconds = 60

export interface LimitState {
  /** RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset of the limit with the fewest remaining requests. */
  headers: Record<string, string>
  /** The error to return if a limit is exceeded. */
  refusal: PlatformError | undefined
}

/**
 * Returns the counter of a caller. A caller with a valid credential has its own counter, so that requests of others
 * from the same address never block it. Requests with the platform's own key are counted for their address, all other
 * requests for their address block.
 */
export function counterOf(actor: Actor, ip: string): string {
  if (actor.type === 'user') return `user-${actor.user.id}`
  if ('agentId' in actor) return `agent-${actor.agentId}`
  return actor.type === 'internal' ? `internal-${addressBlock(ip)}` : addressBlock(ip)
}

/**
 * Counts one request against limits. All limits of a window share one item, so the count costs one write.
 * @param by.counter an address block, or the result of `counterOf`
 */
export async function countRequest(
  table: Table,
  { surface, counter }: { surface: string; counter: string },
  limits: readonly [RateLimit, ...RateLimit[]],
  now = Date.now(),
): Promise<LimitState> {
  const window = windowAt(now)
  const key = limitRows.key({ surface, block: counter, start: String(window.start) })
  const counted = limitRows.parse(
    await table.update(key, {
      add: Object.fromEntries(limits.map(({ scope }) => [scope, 1])),
      set: { expiresAt: window.start + 2 * windowSeconds },
    }),
  )
  const remaining = (limit: RateLimit) => limit.perMinute - (counted[limit.scope] ?? 0)
  const nearest = limits.reduce((a, b) => (remaining(b) < remaining(a) ? b : a))
  return stateOf(nearest, remaining(nearest), window)
}

/** @returns the window's start in epoch seconds, and its remaining seconds */
function windowAt(now: number): { start: number; lasts: number } {
  const second = epochSeconds(now)
  const start = second - (second % windowSeconds)
  return { start, lasts: start + windowSeconds - second }
}

/** @param left the remaining requests of the limit; negative if this one is refused */
function stateOf(limit: RateLimit, left: number, { lasts }: { lasts: number }): LimitState {
  const headers = {
    'RateLimit-Limit': String(limit.perMinute),
    'RateLimit-Remaining': String(Math.max(0, left)),
    'RateLimit-Reset': String(lasts),
  }
  if (left >= 0) return { headers, refusal: undefined }
  const refusal = new PlatformError(
    'too-many-requests',
    limit.message ?? 'Too many requests, please slow down.',
    {
      ...(limit.code !== undefined && { code: limit.code }),
      headers: { ...headers, 'Retry-After': String(lasts) },
    },
  )
  return { headers, refusal }
}
