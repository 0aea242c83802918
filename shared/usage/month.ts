/** A calendar month in UTC: quotas and spend caps are counted by it. */

/** `2026-11` */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7)
}

/** When the next month begins, and with it a fresh quota. */
export function nextMonth(time: number): Date {
  const date = new Date(time)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))
}
