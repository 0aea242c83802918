import { now as platformNow } from '../../base/clock.ts'

/** The periods of the page, by their names in the URL. */
export const periods = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'mtd', label: 'This month' },
] as const

export type Period = (typeof periods)[number]['value']

const dayMs = 86_400_000

/** Returns the period in the URL. The default is 7 days. */
export function periodOf(query: URLSearchParams): Period {
  const periodName = query.get('period')
  return periods.find(({ value }) => value === periodName)?.value ?? '7d'
}

/** Returns the number of days of a period, up to today. Days and months are in UTC, as on the platform. */
export function lengthOf(period: Period, now = new Date(platformNow())): number {
  if (period === 'mtd') return now.getUTCDate()
  return period === '7d' ? 7 : 30
}

/** Returns the last days up to today as `2026-11-23`, oldest first. */
export function lastDays(count: number, now = platformNow()): string[] {
  return Array.from({ length: count }, (_, i) =>
    new Date(now - (count - 1 - i) * dayMs).toISOString().slice(0, 10),
  )
}

/** Formats a day for an axis: `23 Nov`. */
export function dayName(date: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(date))
}
