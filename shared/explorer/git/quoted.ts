import { bytesOf } from '../../platform/folder/names.ts'

const escapes: Record<number, string> = {
  7: 'a',
  8: 'b',
  9: 't',
  10: 'n',
  11: 'v',
  12: 'f',
  13: 'r',
  34: '"',
  92: '\\',
}

/** A name as git prints it: as it is, or in quotes where it has other bytes than ASCII's printable ones. */
export function quoted(name: string): string {
  const bytes = bytesOf(name)
  const parts = [...bytes].map((byte) => {
    const escape = escapes[byte]
    if (escape !== undefined) return `\\${escape}`
    return byte < 32 || byte > 126
      ? `\\${byte.toString(8).padStart(3, '0')}`
      : String.fromCharCode(byte)
  })
  const text = parts.join('')
  return text === name ? name : `"${text}"`
}

/** A path as answers have it: one that is not UTF-8, which JSON cannot hold, in quotes as git prints it. */
export function shownPath(path: string): string {
  return path.isWellFormed() ? path : quoted(path)
}
