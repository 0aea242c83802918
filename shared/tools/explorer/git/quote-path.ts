import { bytesOf } from '#shared/platform/folder/names.ts'

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

/** Returns a name as git prints it: in quotes if it has other bytes than printable ASCII. */
export function quotePath(name: string): string {
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

/** Returns a path for answers. A path that is not UTF-8 does not fit in JSON, so it is quoted as git does. */
export function shownPath(path: string): string {
  return path.isWellFormed() ? path : quotePath(path)
}
