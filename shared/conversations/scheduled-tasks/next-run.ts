import { Cron } from 'croner'

/** A schedule: a cron expression of five fields in an IANA time zone. */
export interface Schedule {
  cronSchedule: string
  timezone: string
}

const minuteMs = 60_000

/** Returns the start of a time's minute, in epoch milliseconds: schedules have minute precision. */
export function minuteOf(now: number): number {
  return now - (now % minuteMs)
}

/**
 * Returns a schedule's last time after `from` and before `before` (epoch milliseconds), or `from` if it has none. Uses
 * a binary search: a task may have been missed every minute for a year.
 */
export function latestRun(schedule: Schedule, from: string, before: number): string {
  let latest = from
  let low = Date.parse(from)
  let high = before - 1
  while (high - low >= minuteMs) {
    const middle = low + Math.floor((high - low) / 2)
    const next = nextRun(schedule, new Date(middle))
    if (next !== null && Date.parse(next) < before) {
      latest = next
      low = Date.parse(next)
    } else high = middle
  }
  return latest
}

/**
 * Returns a schedule's first time after `after`, or null if it has none. By croner's rules, a fixed time in the skipped
 * hour of daylight saving time runs at the end of the gap, and a fixed time in the repeated hour runs once.
 * @throws Error for an invalid expression or time zone
 */
export function nextRun({ cronSchedule, timezone }: Schedule, after: Date): string | null {
  const cron = new Cron(cronSchedule, { timezone, mode: '5-part', paused: true })
  return cron.nextRun(after)?.toISOString() ?? null
}
