import type { Interval } from './store/records.ts'

const daySeconds = 24 * 3600

/** Returns the end of a period in epoch seconds. If the month has no such day, it ends on the month's last day. */
export function periodAfter(start: number, interval: Interval): number {
  if (interval === 'day') return start + daySeconds
  if (interval === 'week') return start + 7 * daySeconds
  const from = new Date(start * 1000)
  const end = new Date(from)
  end.setUTCMonth(from.getUTCMonth() + (interval === 'month' ? 1 : 12))
  // A day beyond the end of the month has overflowed into the next month.
  if (end.getUTCDate() !== from.getUTCDate()) end.setUTCDate(0)
  return end.getTime() / 1000
}
