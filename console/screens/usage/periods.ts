import { now as platformNow } from '../../app/clock.ts'

/** The periods of the page, by the name that they have in its address. */
export const periods = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: 'mtd', label: 'This month' },
] as const

export type Period = (typeof periods)[number]['value']

const dayMs = 86_400_000

/** The period that an address names; 7 days where it names none. */
export function periodOf(query: URLSearchParams): Period {
  const named = query.get('period')
  return periods.find(({ value }) => value === named)?.value ?? '7d'
}

/** How many days up to today a period has; days and months are those of UTC, as the platform counts. */
export function lengthOf(period: Period, now = new Date(platformNow())): number {
  if (period === 'mtd') return now.getUTCDate()
  return period === '7d' ? 7 : 30
}

/** The last so many days up to today, `2026-11-23`, oldest first. */
export function lastDays(count: number, now = platformNow()): string[] {
  return Array.from({ length: count }, (_, i) =>
    new Date(now - (count - 1 - i) * dayMs).toISOString().slice(0, 10),
  )
}

/** A day as it stands on an axis: `23 Nov`. */
export function dayName(date: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(date))
}
