/** A range of days in UTC, both included, for example `2026-11-21`. */
export interface Days {
  from: string
  to: string
}

const day = 86_400_000

/** Returns the UTC day of a time. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Returns the last `count` days, including today. */
export function lastDays(count: number, now = Date.now()): Days {
  return { from: dayOf(now - (count - 1) * day), to: dayOf(now) }
}

/** Returns the calendar month up to today. */
export function monthToDate(now = Date.now()): Days {
  const to = dayOf(now)
  return { from: `${to.slice(0, 7)}-01`, to }
}

/** Returns every day of a range, oldest first. */
export function eachDay({ from, to }: Days): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += day) days.push(dayOf(at))
  return days
}

/** Returns the next day. Every sort key that starts with the previous day sorts before it. */
export function dayAfter(date: string): string {
  return dayOf(Date.parse(date) + day)
}

/** Returns the Monday on or before a time's day. */
export function mondayOf(time: number): string {
  const sinceMonday = (new Date(time).getUTCDay() + 6) % 7
  return dayOf(time - sinceMonday * day)
}
