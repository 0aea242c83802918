import { Cron } from 'croner'

/**
 * Returns the next times of a schedule, by the platform's rules.
 * @throws Error for an invalid expression or time zone
 */
export function nextRuns(expression: string, timezone: string, count: number): Date[] {
  return new Cron(expression, { timezone, mode: '5-part', paused: true }).nextRuns(count)
}
