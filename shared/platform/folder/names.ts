import { isUtf8 } from 'node:buffer'

/**
 * Returns a file's name as a text that preserves each of its bytes: names are bytes and need not be UTF-8. A byte
 * that is not valid UTF-8 becomes a lone surrogate, U+DC80 to U+DCFF, which UTF-8 cannot encode: PEP 383
 * (surrogateescape).
 */
export function nameOf(bytes: Uint8Array): string {
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
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

/** Compares names by their bytes, the order that git uses. */
export function byBytes(one: string, other: string): number {
  return Buffer.compare(bytesOf(one), bytesOf(other))
}
