import { objectIn, textIn } from './event.ts'

/** RFC 5321, 4.5.3.1.3, without the angle brackets. */
const longestAddress = 254

/** The longest line of a header: RFC 5322, 2.1.1. */
const longestFrom = 998

/**
 * Returns the sender in an email's event, in lower case: `from` as a text or as `{email}` or `{address}`, within
 * `data` or beside it. Undefined unless it is exactly one address.
 */
export function senderOf(event: Record<string, unknown>): string | undefined {
  for (const place of [objectIn(event, 'data'), event]) {
    const from = objectIn(place, 'from')
    const text =
      textIn(place, 'from', longestFrom) ??
      textIn(from, 'email', longestFrom) ??
      textIn(from, 'address', longestFrom)
    if (text !== undefined) return addressOf(text)
  }
  return undefined
}

/**
 * Returns the address of one mailbox: the part in angle brackets if it has a name, even a name that contains
 * brackets. Two mailboxes have no single sender. Only ASCII counts: some other letters become ASCII in lower case.
 */
function addressOf(from: string): string | undefined {
  const text = from.trim()
  const named = /^([^]*)<([^<>]*)>$/.exec(text)
  const [name, address] = named === null ? ['', text] : [named[1] ?? '', (named[2] ?? '').trim()]
  const unquoted = name.replace(/"(?:[^"\\]|\\[^])*"/g, '')
  if (/[<>",;\r\n]/.test(unquoted)) return undefined
  if (address.length > longestAddress || !/^[!-~]+$/.test(address)) return undefined
  return /^[^@"(),:;<>\\[\]]+@[A-Za-z0-9.-]+$/.test(address) ? address.toLowerCase() : undefined
}
