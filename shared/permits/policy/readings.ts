import type { Effect } from './effect.ts'

/** The possible meanings of a field for the receiver: an empty list if the field cannot be read. */
export interface Readings {
  /** Each meaning exactly. */
  exact: readonly string[]
  /** Each meaning in `folded` form; `exact` itself if nothing differs. */
  folded: readonly string[]
}

/** A path that no rule can read, for records without their path. */
export const unknownPath = '%'

/** Returns a text without differences that a receiver may ignore: case, and forms of the same character. */
export function folded(text: string): string {
  // Almost every text is ASCII, which has one form of each character. Normalization would take most of a decision.
  return (isAscii.test(text) ? text : text.normalize('NFKC')).toLowerCase()
}

const isAscii = /^[\0-\x7f]*$/

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
    const name = host.replace(/:\d+$/, '')
    return name === host ? readings([host]) : { exact: [host], folded: [host, name] }
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
  const loose = exact.map(folded)
  return { exact, folded: loose.every((text, i) => text === exact[i]) ? exact : loose }
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
