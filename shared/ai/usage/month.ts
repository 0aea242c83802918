import { dayAfter, dayOf } from '#shared/platform/days.ts'
import { isoOf } from '#shared/platform/times.ts'

/** Quotas and spend caps count by calendar month in UTC. */

/** Returns the month of a time, for example `2026-11`. */
export function monthOf(time: number): string {
  return isoOf(time).slice(0, 7)
}

/** Returns the start of the next month, when quotas reset. */
export function nextMonth(time: number): Date {
  const date = new Date(time)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))
}

/** Returns the start of the next day in UTC, when daily limits reset. */
export function nextDay(time: number): Date {
  return new Date(dayAfter(dayOf(time)))
}
