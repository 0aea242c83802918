import type { RateLimit } from '../../manifest/types.ts'
import { addressBlock } from '../../platform/address.ts'
import { sha256Hex } from '../../platform/crypto.ts'
import { PlatformError } from '../../platform/errors.ts'
import type { Table } from '../../platform/table/port.ts'
import { limitRows } from './rows.ts'

/** A fixed window, as spec.md's limits are per minute. */
const windowSeconds = 60

/**
 * Of one address block, where limits count by key: each invented key would be a counter of its own. Beyond it, whatever
 * comes from there is refused until the minute has passed. A container has an address of its own, and one key.
 */
const unknownKeys: RateLimit = {
  scope: 'unknown-keys',
  perMinute: 60,
  message: 'Too many keys that nobody has; ask again in a minute.',
}

export interface LimitState {
  /** RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset of the limit that is nearest to its end. */
  headers: Record<string, string>
  /** What to answer instead, where a limit is passed. */
  refusal: PlatformError | undefined
}

/**
 * By what a request's limits count: its client's address block, or the hash of the key that it shows. Nobody has the key
 * checked before, so that one who invents keys uses up nobody else's.
 */
async function countedCaller(
  { ip, key }: { ip: string; key: string | undefined },
  limits: readonly RateLimit[],
): Promise<string> {
  if (key === undefined || limits.some(({ per }) => per !== 'key')) return addressBlock(ip)
  return `key-${await sha256Hex(key)}`
}

/** Whether a request's limits count by the key that it shows. */
function byKey(key: string | undefined, limits: readonly RateLimit[]): key is string {
  return key !== undefined && limits.length > 0 && limits.every(({ per }) => per === 'key')
}

/** Counts one request of a caller, and refuses it too where its address has shown too many keys that nobody has. */
export async function countCaller(
  table: Table,
  surface: string,
  { ip, key }: { ip: string; key: string | undefined },
  limits: readonly RateLimit[],
): Promise<LimitState> {
  const counted = async () =>
    countRequest(table, surface, await countedCaller({ ip, key }, limits), limits)
  if (!byKey(key, limits)) return counted()
  const window = windowAt(Date.now())
  const row = limitRows.key({ surface, block: addressBlock(ip), start: String(window.start) })
  const [own, item] = await Promise.all([counted(), table.get(row)])
  const shown = item === undefined ? 0 : (limitRows.parse(item)[unknownKeys.scope] ?? 0)
  return shown < unknownKeys.perMinute ? own : stateOf(unknownKeys, -1, window)
}

/** Counts a key that nobody has at the address that showed it, where limits count by key; undefined where none is counted. */
export async function countUnknownKey(
  table: Table,
  surface: string,
  { ip, key }: { ip: string; key: string | undefined },
  limits: readonly RateLimit[],
  refusal: unknown,
): Promise<LimitState | undefined> {
  const isUnknown = refusal instanceof PlatformError && refusal.kind === 'unauthorized'
  if (!isUnknown || !byKey(key, limits)) return undefined
  return countRequest(table, surface, addressBlock(ip), [unknownKeys])
}

/**
 * Counts one request of one caller, as `countedCaller` says it. All limits that it falls under share one item a window,
 * so the count costs one write for any number of them.
 */
async function countRequest(
  table: Table,
  surface: string,
  caller: string,
  limits: readonly RateLimit[],
  now = Date.now(),
): Promise<LimitState> {
  const window = windowAt(now)
  const key = limitRows.key({ surface, block: caller, start: String(window.start) })
  const counted = limitRows.parse(
    await table.update(key, {
      add: Object.fromEntries(limits.map(({ scope }) => [scope, 1])),
      set: { expiresAt: window.start + 2 * windowSeconds },
    }),
  )
  const left = (limit: RateLimit) => limit.perMinute - (counted[limit.scope] ?? 0)
  const nearest = limits.reduce((a, b) => (left(b) < left(a) ? b : a))
  return stateOf(nearest, left(nearest), window)
}

/** @returns in epoch seconds when a window begins, in seconds how long it still lasts */
function windowAt(now: number): { start: number; lasts: number } {
  const second = Math.floor(now / 1000)
  const start = second - (second % windowSeconds)
  return { start, lasts: start + windowSeconds - second }
}

/** @param left how many requests more it takes; below none, this one is refused */
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
    { headers: { ...headers, 'Retry-After': String(lasts) } },
  )
  return { headers, refusal }
}
