import { Cron } from 'croner'

/** When a schedule runs: a cron expression of five fields, read in an IANA time zone. */
export interface Schedule {
  cronSchedule: string
  timezone: string
}

const minuteMs = 60_000

/** Epoch milliseconds at which the minute of `now` began: schedules name minutes. */
export function minuteOf(now: number): number {
  return now - (now % minuteMs)
}

/**
 * The last time before `before` (epoch milliseconds) that a schedule names after `from`; `from` itself where there is
 * none. Looked for by halves: a task may have been missed every minute for a year.
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
 * The first time after `after` that a schedule names; null where it names none any more. In a gap that summer time
 * leaves, a fixed time runs when the gap ends; an hour that comes twice runs a fixed time once: croner's rules.
 * @throws Error for an expression or a time zone that is none
 */
export function nextRun({ cronSchedule, timezone }: Schedule, after: Date): string | null {
  const cron = new Cron(cronSchedule, { timezone, mode: '5-part', paused: true })
  return cron.nextRun(after)?.toISOString() ?? null
}
