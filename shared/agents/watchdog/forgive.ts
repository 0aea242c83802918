import { isoOf } from '#shared/platform/times.ts'
import { markedIncident } from './incidents.ts'
import type { State, Watchdog } from './schema.ts'

/**
 * Returns a watchdog that enters a state, without failures.
 * @param now epoch milliseconds
 */
export function entered(watchdog: Watchdog, state: State, now: number): Watchdog {
  const { askedAt: _askedAt, ...rest } = watchdog
  return { ...rest, state, since: now, failures: 0, repair: null }
}

/**
 * Resolves the open incident.
 * @param now epoch milliseconds
 */
export function resolved(watchdog: Watchdog, now: number): Watchdog {
  return markedIncident(watchdog, { resolvedAt: isoOf(now) })
}

/**
 * Returns a watchdog after a start by a person, which forgives all earlier failures. This function and `rested` are
 * separate from the state machine, because functions that act for people need neither the state machine nor its
 * settings.
 * @param now epoch milliseconds
 */
export function withoutFailures(watchdog: Watchdog, now: number): Watchdog {
  const starting = entered(resolved(watchdog, now), 'starting', now)
  // There is nothing to check before its task runs.
  return { ...starting, dueAt: null, crashes: [], attempts: 0 }
}

/**
 * Returns a watchdog after a stop by a person or because the agent was idle: there is nothing to watch.
 * @param now epoch milliseconds
 */
export function rested(watchdog: Watchdog, now: number): Watchdog {
  return { ...entered(resolved(watchdog, now), 'stopped', now), dueAt: null, attempts: 0 }
}
