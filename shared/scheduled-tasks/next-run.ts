import { Cron } from 'croner'

/** When a schedule runs: a cron expression of five fields, read in an IANA time zone. */
export interface Schedule {
  cronSchedule: string
  timezone: string
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
