import type { Effect } from './effect.ts'

/** The possible meanings of a field for the receiver: an empty list if the field cannot be read. */
export interface Readings {
  /** Each meaning exactly. */
  exact: readonly string[]
  /** Each meaning, in `folded` form. */
  folded: readonly string[]
}

/** A path that no rule can read, for records without their path. */
export const unknownPath = '%'

/** Returns a text without differences that a receiver may ignore: case, and forms of the same character. */
export function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/**
 * Returns what a field of an effect's target can mean to its receiver. A host may collapse empty segments of a path,
 * resolve dots, drop parameters after `;`, and take `\` for `/`. A path that is not percent-encoded UTF-8 has no
 * reading, because hosts differ in how they decode it.
 */
export function readingsOf(effect: Effect, field: string): Readings {
  const text = (effect.target as Readonly<Record<string, string>>)[field] ?? ''
  if (field === 'path') return pathReadings(text)
  if (field === 'method' && effect.action === 'broker.request')
    return readings([text, ...(effect.overrides ?? [])].map((method) => method.toUpperCase()))
  if (field === 'host') {
    const host = canonicalHost(text)
    // A rule without a port that asks or denies holds for every port.
    return { exact: [host], folded: [host, host.replace(/:\d+$/, '')] }
  }
  return readings([text])
}

/** Returns a host as patterns are compared with it: lower case, without a final dot and the port 443. */
export function canonicalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/:443$/, '')
    .replace(/\.(?=:\d+$|$)/, '')
}

function readings(exact: readonly string[]): Readings {
  return { exact, folded: exact.map(folded) }
}

function pathReadings(path: string): Readings {
  const [bare = ''] = path.split('?', 1)
  const decoded = decode(bare)
  if (decoded === undefined) return { exact: [], folded: [] }
  const resolved = resolve(decoded)
  return readings(decoded === resolved ? [decoded] : [decoded, resolved])
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Returns the path as the most lenient host reads it. */
function resolve(path: string): string {
  const kept: string[] = []
  const segments = path.replaceAll('\\', '/').split('/')
  for (const segment of segments) {
    const [name = ''] = segment.split(';', 1)
    if (name === '..') kept.pop()
    else if (name !== '' && name !== '.') kept.push(name)
  }
  const last = segments.at(-1)
  return `/${kept.join('/')}${last === '' && kept.length > 0 ? '/' : ''}`
}
