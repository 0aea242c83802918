/** Subjects of forwarded mails, whose quoted text is the reason of the mail. */
const forwarded = /^\s*(fwd?|wg|tr|rv|i|enc|doorst|vb|vl|pd)\s*:/i

/** Lines after which Outlook and others quote a mail without a mark on each line. */
const original =
  /^\s*(-{2,}\s*(original message|original appointment|ursprüngliche nachricht|message d['’]origine|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original)\s*-{2,}|_{20,})\s*$/i

/** The lines of a quoted header, as Outlook writes them in the language of its user. */
const headerLine =
  /^[\s*>]*(from|sent|date|to|cc|subject|von|gesendet|datum|an|betreff|de|envoyé|à|objet|enviado|para|asunto|da|inviato|a|oggetto|van|verzonden|aan|onderwerp|enviada|assunto)\s*:\*?\s*\S/i

/** The end of the line that introduces a quoted mail: "On Monday, Ada wrote:" in the language of the writer. */
const introduction =
  /(wrote|schrieb[^:]{0,80}|a écrit|escribió|ha scritto|schreef[^:]{0,80}|escreveu|skrev[^:]{0,80}|napisał\(?a?\)?|kirjoitti)\s*:\s*$/i

/** The longest line of a header or an introduction in characters. The expressions read only this part of a line. */
const longestLine = 400

/**
 * Returns a mail's text without the mails that it quotes. Forwarded mails stay, and so do quotes with answers between
 * them. A text that would become empty stays as it is.
 */
export function withoutQuotes(text: string, subject: string): string {
  if (forwarded.test(subject)) return text
  const written = text.split('\n')
  const end = beginOfQuote(written.map((line) => line.slice(0, longestLine)))
  const cut = written.slice(0, end).join('\n').trimEnd()
  return cut.trim() === '' ? text : cut
}

function beginOfQuote(written: string[]): number {
  const lastOwn = written.findLastIndex((line) => line.trim() !== '' && !line.startsWith('>'))
  for (const [at, line] of written.entries()) {
    if (original.test(line) && followedByHeader(written, at + 1)) return at
    if (headerLine.test(line) && isHeaderBlock(written, at)) return at
    const after = introducedAt(written, at)
    if (after !== undefined && !isAnswered(written, after, lastOwn)) return at
  }
  return beginOfTrailingQuote(written)
}

function followedByHeader(written: string[], from: number): boolean {
  return written.slice(from, from + 3).some((line) => headerLine.test(line))
}

/** Three lines of a header in a row, blank lines aside, are a quoted header; one or two may be the sender's own text. */
function isHeaderBlock(written: string[], at: number): boolean {
  const next = written.slice(at, at + 8).filter((line) => line.trim() !== '')
  return next.length >= 3 && next.slice(0, 3).every((line) => headerLine.test(line))
}

/**
 * Returns the line after an introduction that begins at a line and has up to three lines, because clients wrap them.
 * Its first line names an address or a time, so that a sentence of the sender is not taken for one.
 */
function introducedAt(written: string[], at: number): number | undefined {
  const first = written[at] ?? ''
  if (first.startsWith('>') || !/@|\b\d{1,2}[:.]\d{2}\b|\b\d{4}\b/.test(first)) return undefined
  for (let count = 1; count <= 3 && written[at + count - 1]?.trim() !== ''; count++) {
    const joined = written.slice(at, at + count).join(' ')
    if (!joined.trimEnd().endsWith(':')) continue
    if (joined.length >= longestLine) return undefined
    const known = introduction.test(joined) || /<[^<>]*@[^<>]*>\D*:\s*$/.test(joined)
    return known ? at + count : undefined
  }
  return undefined
}

/**
 * True if text of the sender follows the quoted lines, as in an answer below or between them.
 * @param lastOwn the last line that is not quoted
 */
function isAnswered(written: string[], from: number, lastOwn: number): boolean {
  let at = from
  while (written[at]?.trim() === '') at += 1
  return written[at]?.startsWith('>') === true && lastOwn > at
}

function beginOfTrailingQuote(written: string[]): number {
  let end = written.length
  while (end > 0 && (written[end - 1]?.trim() === '' || written[end - 1]?.startsWith('>') === true))
    end -= 1
  return end
}
