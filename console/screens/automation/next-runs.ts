import { Cron } from 'croner'

/**
 * The next times that a schedule names, by the same rules as the platform's.
 * @throws Error for an expression or a time zone that is none
 */
export function nextRuns(expression: string, timezone: string, count: number): Date[] {
  return new Cron(expression, { timezone, mode: '5-part', paused: true }).nextRuns(count)
}
