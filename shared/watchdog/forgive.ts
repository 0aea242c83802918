import { markedIncident } from './incidents.ts'
import type { State, Watchdog } from './schema.ts'

/** A state as it is entered: nothing has failed in it yet. @param now epoch milliseconds */
export function entered(watchdog: Watchdog, state: State, now: number): Watchdog {
  const { askedAt: _askedAt, ...rest } = watchdog
  return { ...rest, state, since: now, failures: 0, repair: null }
}

/** The incident that was open is over. @param now epoch milliseconds */
export function resolved(watchdog: Watchdog, now: number): Watchdog {
  return markedIncident(watchdog, { resolvedAt: new Date(now).toISOString() })
}

/**
 * What a start by a person makes of a watchdog: all that failed before is forgiven. Apart from the machine, as `rested`
 * is, because functions that act for people need nothing else of it, and none of its settings.
 * @param now epoch milliseconds
 */
export function forgiven(watchdog: Watchdog, now: number): Watchdog {
  const starting = entered(resolved(watchdog, now), 'starting', now)
  // There is nothing to look at before its task runs.
  return { ...starting, dueAt: null, crashes: [], attempts: 0 }
}

/** What a stop by a person or for want of work makes of a watchdog: there is nothing to watch. @param now epoch milliseconds */
export function rested(watchdog: Watchdog, now: number): Watchdog {
  return { ...entered(resolved(watchdog, now), 'stopped', now), dueAt: null, attempts: 0 }
}
