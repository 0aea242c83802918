import type { Interval } from './store/records.ts'

const daySeconds = 24 * 3600

/** When a period that begins at `start` ends, in epoch seconds; the last day of a month where there is no such day. */
export function periodAfter(start: number, interval: Interval): number {
  if (interval === 'day') return start + daySeconds
  if (interval === 'week') return start + 7 * daySeconds
  const from = new Date(start * 1000)
  const end = new Date(from)
  end.setUTCMonth(from.getUTCMonth() + (interval === 'month' ? 1 : 12))
  // The 31st of a month of 30 days became the 1st of the next.
  if (end.getUTCDate() !== from.getUTCDate()) end.setUTCDate(0)
  return end.getTime() / 1000
}
