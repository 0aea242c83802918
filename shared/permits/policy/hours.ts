import type { When } from './policy.ts'

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The limit of the cache. There are about 600 names of time zones. */
const maxClocks = 1000

/**
 * Returns whether a time is within hours of a rule, by the wall clock of its time zone. An hour that the clock repeats
 * counts twice, and one that it leaves out never comes.
 * @param now epoch milliseconds
 * @throws RangeError for an unknown time zone
 */
export function withinHours(
  { from, to, timezone = 'UTC' }: NonNullable<When['hours']>,
  now: number,
): boolean {
  const time = clockOf(timezone).format(now)
  return from < to ? from <= time && time < to : from <= time || time < to
}

function clockOf(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone)
  if (known !== undefined) return known
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  if (clocks.size >= maxClocks) clocks.clear()
  clocks.set(timezone, clock)
  return clock
}
