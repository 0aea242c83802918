import { surfaceLimits } from '#shared/manifest/limits.ts'
import type { RateLimit, Surface } from '#shared/manifest/types.ts'
import type { Actor } from '#shared/platform/identity/actor.ts'
import type { GuardName } from '../guards/guard.ts'
import type { Limited } from '../route.ts'

/** contract.md 20: requests per minute and address on a route without sign-in that declares no limit. */
const anonymousPerMinute = 300

/** Returns the limits of a route: first the limits that its surface sets for it, then its own limits. */
export function limitsOf(
  surface: Surface,
  { path, limits = [] }: { path: string; limits?: readonly RateLimit[] },
): readonly RateLimit[] {
  const shared = surfaceLimits.filter(
    ({ surface: of, below, except }) =>
      of === surface &&
      path.startsWith(below) &&
      !(except !== undefined && path.startsWith(except)),
  )
  return [...shared, ...limits]
}

/** Returns the limits of requests without sign-in. A route that takes such requests has a default limit. */
export function anonymousLimitsOf(surface: Surface, route: Limited): readonly RateLimit[] {
  const limits = limitsOf(surface, route)
  if (limits.length > 0 || route.unlimited !== undefined || !acceptsAnonymous(route)) return limits
  return [{ scope: route.name.replaceAll('.', '-'), perMinute: anonymousPerMinute }]
}

/**
 * Returns the limit of model calls per minute of an API key: contract.md 11 and 15. Calls with other keys of the same
 * user are not counted for it.
 */
export function keyLimitsOf(
  surface: Surface,
  { method, path }: Pick<Limited, 'method' | 'path'>,
  actor: Actor,
): readonly RateLimit[] {
  const callsModel = surface === 'backend' && method === 'POST' && modelCalls.test(path)
  if (!callsModel || actor.type !== 'user') return []
  const { keyId, keyLimits } = actor.user
  const perMinute = keyLimits?.requestsPerMinute
  if (keyId === undefined || perMinute === undefined) return []
  const message = 'The API key has reached its limit of requests per minute.'
  return [{ scope: keyId, perMinute, message, code: 'RATE_LIMITED' }]
}

const modelCalls = /^\/(?:v1\/|api\/ai\/chat$)/

/** True if a route accepts anonymous callers. */
export function acceptsAnonymous({ guard }: Pick<Limited, 'guard'>): boolean {
  const open: readonly GuardName[] = ['none', 'signature', 'proven-agent-or-anyone']
  return open.includes(guard) || guard.startsWith('optional-')
}
