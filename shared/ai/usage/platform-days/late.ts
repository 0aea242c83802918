import { dayOf } from '#shared/platform/days.ts'

const hour = 3_600_000

/**
 * Reports whether a call is recorded so late that its day may already be aggregated. The limit is an hour before
 * aggregation, so that calls recorded in time are finished by then.
 */
export function isLate(date: string, now: number): boolean {
  return date <= dayOf(now - 48 * hour)
}

/** Returns the last day that may be aggregated, when most late usage has arrived. */
export function lastOver(now: number): string {
  return dayOf(now - 49 * hour)
}
