/** The names that programs give to the same fields. */
const names = {
  time: ['at', 'time', 'timestamp', 'ts'],
  level: ['level', 'severity'],
  words: ['msg', 'message'],
} as const

/** The fields that a request's line begins with, in this order. */
const ofRequests = ['method', 'path', 'status', 'ms'] as const

/** The fields that are the same in every line of one agent's log. */
const alike = new Set(['agentId', 'generation'])

/**
 * A log line for people: of a JSON object its time as this machine's clock shows it, what it is about, and the rest as
 * `name=value`, without what all lines of the log say alike. Any other line is as it was written.
 */
export function formatLine(text: string): string {
  if (!text.startsWith('{')) return text
  const entry = entryOf(text)
  const time = timeOf(taken(entry, names.time))
  if (entry === undefined || time === undefined) return text
  const parts = [time, taken(entry, names.level), taken(entry, names.words)]
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
    // A program may write braces too: then it is a line like any other.
    return undefined
  }
}

/** The first of these that an entry has, which is then no longer in it. */
function taken(entry: Map<string, unknown> | undefined, wanted: readonly string[]): unknown {
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
