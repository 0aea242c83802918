import type { UpstreamFailure } from './failure.ts'
import type { Route } from './provider.ts'

/**
 * A provider that failed is tried last for this time. OpenRouter avoids providers with outages in the last 30 seconds
 * (https://openrouter.ai/docs/features/provider-routing, read on 2026-11-27), and Portkey's shortest pause is the same
 * (https://portkey.ai/docs/product/ai-gateway/circuit-breaker): it is longer than most overloads. During an outage, one
 * call per model, process and pause is slow.
 */
const pauseMs = 30_000

/** The longest pause that a provider can request with Retry-After. */
const longestPauseMs = 300_000

/** The end of each pause in epoch milliseconds, by address and model. A process learns it from its own calls. */
const pauses = new Map<string, number>()

/** The maximum number of pauses. The oldest one is dropped first. */
const maxPauses = 1000

/**
 * Returns whether a route failed in the last seconds. A user's own key is never left out, because its failures say
 * nothing about other keys.
 */
export function isOpen(route: Route, now = Date.now()): boolean {
  return pauses.size > 0 && (pauses.get(keyOf(route)) ?? 0) > now && route.own === undefined
}

/** Records that a route is tried. The first call after a pause is a probe: other calls wait for its result. */
export function recordAttempt(route: Route, now = Date.now()): void {
  const key = keyOf(route)
  const until = pauses.get(key)
  if (until !== undefined && until <= now && route.own === undefined) pauses.set(key, now + pauseMs)
}

/** Ends the pause of a route that has answered. */
export function recordAnswer(route: Route): void {
  if (route.own === undefined) pauses.delete(keyOf(route))
}

/** Begins a pause if the failure is the provider's fault. Any other failure shows that the provider works. */
export function recordFailure(route: Route, failure: UpstreamFailure, now = Date.now()): void {
  recordAnswer(route)
  if (route.own !== undefined || !failure.isProviderFault) return
  const { retryAfter } = failure
  const asked = retryAfter === undefined ? pauseMs : Math.max(1, retryAfter) * 1000
  const [oldest] = pauses.keys()
  if (oldest !== undefined && pauses.size >= maxPauses) pauses.delete(oldest)
  pauses.set(keyOf(route), now + Math.min(asked, longestPauseMs))
}

function keyOf({ provider, model }: Route): string {
  return `${provider.baseUrl} ${model}`
}
