import type { Log } from '../log.ts'

/** A check that throws if its target does not work. */
export type HealthProbe = () => Promise<unknown>

/** Returns whether a target works; never throws. */
export type TargetCheck = (log: Log) => Promise<boolean>

/** contract.md 10: time limit of a check. */
const timeoutMs = 2000

/**
 * The result is cached, because health endpoints are public and frequent requests must not use up an account's request
 * limits.
 */
const cacheMs = 5000

/** Caches a function's result for a few seconds, for concurrent callers too. */
export function cachedFor<Args extends unknown[], T>(
  look: (...args: Args) => Promise<T>,
  now: () => number = Date.now,
): (...args: Args) => Promise<T> {
  let cached: { until: number; answer: Promise<T> } | undefined
  return (...args) => {
    if (cached === undefined || cached.until <= now())
      cached = { until: now() + cacheMs, answer: look(...args) }
    return cached.answer
  }
}

/** Creates a check from a probe, with the check's time limit. */
function lookOf(name: string, probe: HealthProbe, now?: () => number): TargetCheck {
  return cachedFor(async (log: Log) => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => reject(new Error(`no response within ${timeoutMs} ms`)),
      timeoutMs,
    )
    try {
      await Promise.race([probe(), late])
      return true
    } catch (error) {
      log.warn('not ready', { check: name, error })
      return false
    } finally {
      clearTimeout(timer)
    }
  }, now)
}

/** Creates a check with the same name for each probe. */
export function checksOf<Name extends string>(
  probes: Record<Name, HealthProbe>,
  now?: () => number,
): Record<Name, TargetCheck> {
  const looks = Object.entries<HealthProbe>(probes).map(([name, probe]) => [
    name,
    lookOf(name, probe, now),
  ])
  return Object.fromEntries(looks) as Record<Name, TargetCheck>
}
