/** Returns a time's age in git's words: `%ar` of git-log(1). Both times in epoch seconds. */
export function agoInWords(then: number, now: number): string {
  if (then > now) return 'in the future'
  const seconds = now - then
  if (seconds < 90) return ago(seconds, 'second')
  const minutes = Math.floor((seconds + 30) / 60)
  if (minutes < 90) return ago(minutes, 'minute')
  const hours = Math.floor((minutes + 30) / 60)
  if (hours < 36) return ago(hours, 'hour')
  const days = Math.floor((hours + 12) / 24)
  if (days < 14) return ago(days, 'day')
  if (days < 70) return ago(Math.floor((days + 3) / 7), 'week')
  if (days < 365) return ago(Math.floor((days + 15) / 30), 'month')
  if (days >= 5 * 365) return ago(Math.floor((days + 183) / 365), 'year')
  const months = Math.floor((days * 12 * 2 + 365) / (365 * 2))
  const years = Math.floor(months / 12)
  const rest = months % 12
  return rest === 0 ? ago(years, 'year') : `${count(years, 'year')}, ${ago(rest, 'month')}`
}

const count = (number: number, unit: string) => `${number} ${unit}${number === 1 ? '' : 's'}`
const ago = (number: number, unit: string) => `${count(number, unit)} ago`
