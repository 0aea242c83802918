/** The names that programs use for the same fields. */
const names = {
  time: ['at', 'time', 'timestamp', 'ts'],
  level: ['level', 'severity'],
  words: ['msg', 'message'],
} as const

/** The first fields of a request's line, in this order. */
const ofRequests = ['method', 'path', 'status', 'ms'] as const

/** The fields with the same value in every line of an agent's log. */
const alike = new Set(['agentId', 'generation'])

/**
 * Formats a log line. For a JSON object: its local time, its message, and the rest as `name=value`, without fields that
 * are the same in all lines. Other lines are unchanged.
 */
export function formatLine(text: string): string {
  if (!text.startsWith('{')) return text
  const entry = entryOf(text)
  const time = timeOf(takeField(entry, names.time))
  if (entry === undefined || time === undefined) return text
  const parts = [time, takeField(entry, names.level), takeField(entry, names.words)]
  for (const name of ofRequests) {
    parts.push(name === 'ms' && entry.has(name) ? `${shown(entry.get(name))} ms` : entry.get(name))
    entry.delete(name)
  }
  for (const [name, value] of entry) if (!alike.has(name)) parts.push(`${name}=${shown(value)}`)
  return parts
    .filter((each) => each !== undefined)
    .map(shown)
    .join(' ')
}

function entryOf(text: string): Map<string, unknown> | undefined {
  try {
    return new Map(Object.entries(JSON.parse(text) as object))
  } catch {
    // A line can begin with a brace and not be JSON.
    return undefined
  }
}

/** Removes and returns the first of these fields that an entry has. */
function takeField(entry: Map<string, unknown> | undefined, wanted: readonly string[]): unknown {
  const name = wanted.find((each) => entry?.has(each))
  if (entry === undefined || name === undefined) return undefined
  const value = entry.get(name)
  entry.delete(name)
  return value
}

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const at = new Date(value)
  return Number.isNaN(at.getTime()) ? undefined : clock.format(at)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
