/** Days in UTC, both included, as `2026-11-21`. */
export interface Days {
  from: string
  to: string
}

const day = 86_400_000

/** The day of a moment, in UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** The last `count` days up to today. */
export function lastDays(count: number, now = Date.now()): Days {
  return { from: dayOf(now - (count - 1) * day), to: dayOf(now) }
}

/** The calendar month up to today. */
export function monthToDate(now = Date.now()): Days {
  const to = dayOf(now)
  return { from: `${to.slice(0, 7)}-01`, to }
}

/** Every day of a range, oldest first. */
export function eachDay({ from, to }: Days): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += day) days.push(dayOf(at))
  return days
}

/** The day after: every sort key that begins with the day before comes earlier. */
export function dayAfter(date: string): string {
  return dayOf(Date.parse(date) + day)
}

/** The Monday on or before a moment's day. */
export function mondayOf(time: number): string {
  const sinceMonday = (new Date(time).getUTCDay() + 6) % 7
  return dayOf(time - sinceMonday * day)
}
