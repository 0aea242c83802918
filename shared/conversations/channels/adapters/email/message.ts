import PostalMime, { addressParser, type Attachment, type Email } from 'postal-mime'
import { htmlToText } from './html-text.ts'
import { withoutQuotes } from './quotes.ts'

/** A file of a mail. `index` is its place among all attachments of the mail. */
export interface MailFile {
  index: number
  name: string
  mime: string
  body: Uint8Array
}

/** A parsed mail. */
export interface Mail {
  /** With angle brackets; undefined if the mail has none. */
  messageId: string | undefined
  /** The mails of the thread before this one, the oldest first, with angle brackets. */
  references: string[]
  /** The one address in From, in lower case; undefined if there is not exactly one. */
  from: { address: string; name: string } | undefined
  subject: string
  /** The text of the sender, without the mails that it quotes. */
  text: string
  files: MailFile[]
  /** Epoch milliseconds; undefined without a valid Date. */
  date: number | undefined
  /** The values of a header, in the order of the mail. @param name in lower case */
  header(name: string): string[]
}

/** The limits of the parser. Mails of people stay far below them. */
const bounds = { maxHeadersSize: 256 * 1024, maxNestingDepth: 50 }

/** The most lines and parts, because the parser is slow for each. The largest mail in base64 has 40,000 lines. */
const maxLines = 200_000
const maxParts = 5000

/** The longest text that becomes part of a prompt, in characters. */
const maxText = 50_000

/** The longest subject in characters; RFC 5322 allows 998 a line. */
const maxSubject = 1000

/** Returns a mail; undefined if it cannot be parsed or exceeds the bounds. @param raw the mail as RFC 5322 */
export async function parseMail(raw: Uint8Array): Promise<Mail | undefined> {
  if (!isBounded(raw)) return undefined
  let email: Email
  try {
    email = await PostalMime.parse(raw, { ...bounds, forceRfc822Attachments: true })
  } catch {
    return undefined
  }
  const header = (name: string) =>
    email.headers.filter(({ key }) => key === name).map(({ value }) => value)
  const inReplyTo = idsIn(email.inReplyTo)
  const references = idsIn(email.references)
  const date = Date.parse(email.date ?? '')
  const subject = oneLine(email.subject ?? '')
    .slice(0, maxSubject)
    .toWellFormed()
  return {
    messageId: idsIn(email.messageId)[0],
    references: references.length > 0 ? references : inReplyTo,
    from: senderOf(email, header('from')),
    subject,
    text: textOf(email, subject),
    files: email.attachments.map(fileOf).filter((file) => file !== undefined),
    date: Number.isNaN(date) ? undefined : date,
    header,
  }
}

/** Returns whether a mail has a usual number of lines, and of lines that may begin a part. */
function isBounded(raw: Uint8Array): boolean {
  let [lines, dashed] = [0, 0]
  for (let at = raw.indexOf(lineFeed); at >= 0; at = raw.indexOf(lineFeed, at + 1)) {
    lines += 1
    if (raw[at + 1] === dash && raw[at + 2] === dash) dashed += 1
  }
  return lines <= maxLines && dashed <= maxParts
}

const lineFeed = 0x0a
const dash = 0x2d

/** Removes line breaks and other control characters. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

function idsIn(text: string | undefined): string[] {
  return text?.match(/<[^<>\s]{1,900}>/g) ?? []
}

/**
 * Returns the sender; undefined for several From headers or addresses, because mail programs can show another sender
 * than the one that was checked.
 */
function senderOf({ from }: Email, headers: string[]): Mail['from'] {
  const [value] = headers
  if (value === undefined || headers.length > 1 || from?.address === undefined) return undefined
  if (addressParser(value, { flatten: true }).length !== 1) return undefined
  // ASCII alone, because other letters, such as the Kelvin sign, would become letters of ASCII.
  const address = from.address.trim().replace(/[A-Z]+/g, (text) => text.toLowerCase())
  if (address.length > 254 || !/^[^\s\p{C}@<>"(),:;\\]+@[a-z0-9.-]+$/u.test(address))
    return undefined
  return { address, name: oneLine(from.name).slice(0, 100) || address }
}

function textOf({ text, html }: Email, subject: string): string {
  const written = text !== undefined && text.trim() !== '' ? text : htmlToText(html ?? '')
  const cut = withoutQuotes(written.replace(/\r\n?/g, '\n'), subject).trim()
  return cut.length > maxText ? `${cut.slice(0, maxText)}\n[The mail continues.]` : cut
}

/** The media types of signatures and keys, which are not files for a reader. */
const technical = new Set([
  'application/pgp-encrypted',
  'application/pgp-signature',
  'application/pkcs7-signature',
  'application/x-pkcs7-signature',
])

/** Inline images below this size in bytes are treated as logos of signatures. */
const logoBytes = 10 * 1024

function fileOf(attachment: Attachment, index: number): MailFile | undefined {
  const { filename, mimeType, related, content } = attachment
  const body = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
  if (technical.has(mimeType)) return undefined
  if (related === true && body.length < logoBytes) return undefined
  const name = oneLine(filename ?? '') || `attachment-${index + 1}`
  return { index, name, mime: mimeType || 'application/octet-stream', body }
}
