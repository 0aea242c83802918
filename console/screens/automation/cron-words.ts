const nicknames: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
}

const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const months =
  'January February March April May June July August September October November December'.split(' ')

/** One value, a list, or a range. Undefined for `*` and other forms. */
type Named = string | undefined

/**
 * Describes a cron expression of five fields: `At 09:00, Monday to Friday`.
 * @returns undefined if the description would be too long
 */
export function cronWords(expression: string): string | undefined {
  const text = expression.trim().toLowerCase()
  const fields = (nicknames[text] ?? text).split(/\s+/)
  const [minute, hour, day, month, weekday] = fields
  if (fields.length !== 5 || !minute || !hour || !day || !month || !weekday) return undefined
  const time = timeWords(minute, hour)
  const days = dayWords(day, month, weekday)
  if (time === undefined || days === undefined) return undefined
  if (days !== '') return `${time}, ${days}`
  return time.startsWith('At ') ? `${time}, every day` : time
}

function timeWords(minute: string, hour: string): Named {
  if (hour === '*') {
    if (minute === '*' || minute === '*/1') return 'Every minute'
    const step = stepOf(minute)
    if (step !== undefined) return `Every ${step} minutes`
    if (minute === '0') return 'Every hour'
    return isNumber(minute) ? `Every hour, ${count(minute, 'minute')} past` : undefined
  }
  if (!isNumber(minute)) return undefined
  const step = stepOf(hour)
  if (step !== undefined)
    return `Every ${step} hours${minute === '0' ? '' : `, ${count(minute, 'minute')} past`}`
  const hours = hour.split(',')
  if (!hours.every(isNumber)) return undefined
  return `At ${joined(
    hours.map((each) => `${two(each)}:${two(minute)}`),
    'and',
  )}`
}

function dayWords(day: string, month: string, weekday: string): Named {
  const inMonth = month === '*' ? '' : phrase(month, months, 1)
  const onWeekday = weekday === '*' ? '' : phrase(weekday, weekdays, 0)
  if (inMonth === undefined || onWeekday === undefined) return undefined
  const within = inMonth === '' ? '' : ` in ${inMonth}`
  if (day === '*') return onWeekday === '' ? within.slice(1) : `${onWeekday}${within}`
  const numbers = day.split(',')
  if (!numbers.every(isNumber)) return undefined
  const onDay = `on day ${joined(numbers, 'and')} of ${inMonth === '' ? 'the month' : inMonth}`
  // With both fields, cron runs if either matches.
  return onWeekday === '' ? onDay : `${onDay}, and on ${onWeekday}${within}`
}

/**
 * Describes a field by the names of its values.
 * @param first the number of the first name
 */
function phrase(field: string, names: readonly string[], first: number): Named {
  const nameOf = (value: string) =>
    names.find((name) => name.slice(0, 3).toLowerCase() === value) ??
    (isNumber(value) ? names[(Number(value) - first) % names.length] : undefined)
  const range = /^(\w+)-(\w+)$/.exec(field)
  if (range !== null) {
    const [from, to] = [nameOf(range[1] ?? ''), nameOf(range[2] ?? '')]
    return from === undefined || to === undefined ? undefined : `${from} to ${to}`
  }
  const named = field.split(',').map(nameOf)
  return named.includes(undefined) ? undefined : joined(named as string[], 'and')
}

function stepOf(field: string): string | undefined {
  const step = /^\*\/(\d+)$/.exec(field)?.[1]
  return step === '1' ? undefined : step
}

function isNumber(text: string): boolean {
  return /^\d{1,2}$/.test(text)
}

function two(number: string): string {
  return number.padStart(2, '0')
}

function count(number: string, unit: string): string {
  return `${Number(number)} ${unit}${Number(number) === 1 ? '' : 's'}`
}

function joined(parts: readonly string[], word: string): string {
  return parts.length < 2
    ? parts.join('')
    : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1) ?? ''}`
}
