import { dayOf } from '../days.ts'

const hour = 3_600_000

/**
 * Whether a call of this day is recorded so late that the day may be added up by now. It begins an hour before that, so
 * that what began to be recorded in time has long ended when the day is added up.
 */
export function isLate(date: string, now: number): boolean {
  return date <= dayOf(now - 48 * hour)
}

/** The last day that may be added up: most of what came late by itself has come. */
export function lastOver(now: number): string {
  return dayOf(now - 49 * hour)
}
