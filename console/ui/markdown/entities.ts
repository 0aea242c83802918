/** The common entities. Unknown names stay as they are. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  copy: '©',
  times: '×',
  rarr: '→',
  larr: '←',
}

/** Decodes the entities of a text. */
export function entities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi,
    (whole, ten, hex, name) => {
      if (typeof name === 'string') return named[name] ?? whole
      const code = typeof ten === 'string' ? Number(ten) : Number.parseInt(String(hex), 16)
      return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    },
  )
}
