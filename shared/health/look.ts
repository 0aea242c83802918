import type { Log } from '../platform/log.ts'

/** What throws where the thing that it looks at does not work. */
export type Probe = () => Promise<unknown>

/** Answers whether a thing works, and never throws. */
export type Look = (log: Log) => Promise<boolean>

/** contract.md 10: how long a check may take. */
const timeoutMs = 2000

/** Anybody may ask for health: asking more often must not become a way to spend what an account may ask its engines. */
const keptMs = 5000

/** Does something once in a few seconds, however many ask for it, also at once. */
export function keptFor<Given extends unknown[], T>(
  look: (...given: Given) => Promise<T>,
  now: () => number = Date.now,
): (...given: Given) => Promise<T> {
  let kept: { until: number; answer: Promise<T> } | undefined
  return (...given) => {
    if (kept === undefined || kept.until <= now())
      kept = { until: now() + keptMs, answer: look(...given) }
    return kept.answer
  }
}

/** A look by a probe, which is not waited for longer than a check may take. */
export function lookOf(name: string, probe: Probe, now?: () => number): Look {
  return keptFor(async (log: Log) => {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
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

/** A look for each probe, by the same name. */
export function looksOf<Name extends string>(
  probes: Record<Name, Probe>,
  now?: () => number,
): Record<Name, Look> {
  const looks = Object.entries<Probe>(probes).map(([name, probe]) => [
    name,
    lookOf(name, probe, now),
  ])
  return Object.fromEntries(looks) as Record<Name, Look>
}
