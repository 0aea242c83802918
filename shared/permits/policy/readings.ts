import type { Effect } from './effect.ts'

/** The possible meanings of a field for the receiver: an empty list if the field cannot be read. */
export interface Readings {
  /** Each meaning exactly. */
  exact: readonly string[]
  /** Each meaning in `folded` form; `exact` itself if nothing differs. */
  folded: readonly string[]
}

/** A path without a reading, for records that do not contain the path. */
export const unknownPath = '%'

/** Returns a text without differences that a receiver may ignore: case, and forms of the same character. */
export function folded(text: string): string {
  // Almost every text is ASCII and needs no normalization, which would take most of a decision's time.
  return (isAscii.test(text) ? text : text.normalize('NFKC')).toLowerCase()
}

const isAscii = /^[\0-\x7f]*$/

/**
 * Returns what a field of an effect's target can mean to its receiver. A host may collapse empty segments of a path,
 * resolve dots, drop parameters after `;`, take `\` for `/`, and decode a path again that an earlier server has decoded. A
 * path that is not percent-encoded UTF-8 has no reading, because hosts differ in how they decode it.
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
  const decoded = decodings(bare)
  if (decoded.length === 0) return { exact: [], folded: [] }
  const all = decoded.flatMap((text) => [text, resolve(text, false)])
  for (const text of decoded) if (text.includes('//')) all.push(resolve(text, true))
  const exact = [...new Set(all)]
  const { folded: loose } = readings(exact)
  const bareEnds = loose.filter((text) => text.length > 1 && text.endsWith('/'))
  if (bareEnds.length === 0) return { exact, folded: loose }
  return { exact, folded: [...loose, ...bareEnds.map((text) => text.slice(0, -1))] }
}

/** Each server in front of a host may decode the path once more. */
const maxDecodings = 4

/** Returns a path after each decoding; an empty list if it cannot be decoded, or more often than a host would. */
function decodings(path: string): string[] {
  const first = decode(path)
  if (first === undefined) return []
  const found = [first]
  for (let text = first; isEncoded.test(text);) {
    // After the first decoding, a percent sign can be part of the text.
    const next = text.replaceAll(escapes, (run) => decode(run) ?? run)
    if (next === text) break
    if (found.length === maxDecodings) return []
    found.push(next)
    text = next
  }
  return found
}

const isEncoded = /%[0-9a-f]{2}/i

const escapes = /(?:%[0-9a-f]{2})+/gi

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the path as a lenient host reads it.
 * @param keepsEmpty true for a host that resolves dots before it collapses empty segments, as the URL standard does
 */
function resolve(path: string, keepsEmpty: boolean): string {
  const kept: string[] = []
  const segments = path.replaceAll('\\', '/').split('/')
  for (const segment of segments) {
    const [name = ''] = segment.split(';', 1)
    if (name === '..') kept.pop()
    else if ((name !== '' || keepsEmpty) && name !== '.') kept.push(name)
  }
  const last = segments.at(-1)
  const names = kept.filter((name) => name !== '')
  return `/${names.join('/')}${last === '' && names.length > 0 ? '/' : ''}`
}
