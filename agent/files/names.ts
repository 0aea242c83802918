import { isUtf8 } from 'node:buffer'
import { isTemporary as isOfGateway } from '../gateway/workspace/files.ts'

/**
 * Returns a file's name as a text that preserves each of its bytes. A byte that is not valid UTF-8 becomes a lone
 * surrogate, U+DC80 to U+DCFF, which UTF-8 cannot encode: PEP 383 (surrogateescape). The platform uses the same form.
 */
export function nameOf(name: Buffer): string {
  if (isUtf8(name)) return name.toString()
  const parts: string[] = []
  for (let at = 0; at < name.length;) {
    const length = [1, 2, 3, 4].find(
      (size) => at + size <= name.length && isUtf8(name.subarray(at, at + size)),
    )
    parts.push(
      length === undefined
        ? String.fromCharCode(0xdc00 + (name[at] ?? 0))
        : name.toString('utf8', at, at + length),
    )
    at += length ?? 1
  }
  return parts.join('')
}

/** Returns the bytes of such a name. */
export function bytesOf(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name)
  return Buffer.concat(
    Array.from(name, (character) => {
      const code = character.codePointAt(0) ?? 0
      return code >= 0xdc80 && code <= 0xdcff
        ? Buffer.from([code - 0xdc00])
        : Buffer.from(character)
    }),
  )
}

const surrogate = /[\ud800-\udfff]/

/** Compares names by their bytes, the order of the platform's lists. */
export function byBytes(one: string, other: string): number {
  // Only surrogates sort differently in UTF-16 and in UTF-8.
  if (!surrogate.test(one) && !surrogate.test(other)) return one < other ? -1 : Number(one > other)
  return Buffer.compare(bytesOf(one), bytesOf(other))
}

/** The file at the root of the data that describes the last synchronization. */
export const markerName = '.files.json'

const temporary = /^\.files-[0-9a-f]{16}$/

/** Returns whether a name is a temporary file of a restore. */
export function isTemporary(name: string): boolean {
  return temporary.test(name)
}

/**
 * Folders that OpenClaw creates again at each start: locks of the running process, caches and logs. OpenClaw's own backups
 * leave `tmp` out too (its docs, cli/backup).
 */
const ofProcess = new Set(['openclaw/cache', 'openclaw/logs', 'openclaw/tmp'])

/** Returns whether an entry is never stored. @param names its path */
export function isExcluded(names: readonly string[]): boolean {
  const name = names.at(-1) ?? ''
  const isOwn = names.length <= 2 && (name === markerName || ofProcess.has(names.join('/')))
  return isOwn || isTemporary(name) || isOfGateway(name)
}
