import { bytesOf, nameOf } from '#shared/platform/folder/names.ts'

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

/**
 * Returns a path for answers. A path that is not UTF-8 does not fit in JSON, so it is quoted as git does. A path that
 * begins with a quotation mark is quoted too, so that `unquotePath` returns every path unchanged.
 */
export function shownPath(path: string): string {
  return path.isWellFormed() && !path.startsWith('"') ? path : quotePath(path)
}

/** A path in quotes, as git writes it: escapes of one character, or of a byte in three octal digits. */
const quoted = /^"((?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*)"$/s
const parts = /\\([0-3][0-7]{2})|\\(.)|([^\\]+)/gs

/** Returns the path that `shownPath` shows, in the form of `nameOf`. A text without quotes is the path itself. */
export function unquotePath(text: string): string {
  const inside = quoted.exec(text)?.[1]
  if (inside === undefined) return text.toWellFormed()
  const bytes = Array.from(inside.matchAll(parts), ([, octal, letter, plain = '']) => {
    if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8)])
    const code = Object.keys(escapes).find((each) => escapes[Number(each)] === letter)
    return code === undefined ? Buffer.from(plain) : Buffer.from([Number(code)])
  })
  return nameOf(Buffer.concat(bytes))
}
