import { Parser } from 'htmlparser2'

/** Elements whose content a reader does not see. */
const unseen = new Set(['head', 'noscript', 'script', 'style', 'template', 'title', 'textarea'])

/** Elements that begin and end a line. */
const lines = new Set(
  'address article aside body center dd div dl dt fieldset figure footer form header hr html li main nav ol pre section table tbody tfoot thead tr ul'.split(
    ' ',
  ),
)

/** Elements with an empty line before and after them. */
const paragraphs = new Set('blockquote h1 h2 h3 h4 h5 h6 p'.split(' '))

/** Styles that hide text from readers, so that it must not speak to the agent either. */
const hiding =
  /display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0(?![.\d])|mso-hide\s*:\s*all/i

/** The longest address of a link that is shown, in characters. Longer ones are usually for tracking. */
const maxLink = 300

/** The deepest nesting of elements. Reading ends there, because the parser searches all open elements at an end tag. */
const maxDepth = 300

/** The characters between two checks of the depth. */
const chunk = 1024

/** The most marks of quotes on a line. */
const maxQuotes = 10

/**
 * Returns the text of an HTML mail as its reader sees it: hidden text is left out, quoted mails begin with `>`, and links
 * show their address.
 */
export function htmlToText(html: string): string {
  const written = new Lines()
  const open: { name: string; hidden: boolean; href: string }[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const hidden =
          (open.at(-1)?.hidden ?? false) ||
          unseen.has(name) ||
          'hidden' in attributes ||
          hiding.test(attributes['style'] ?? '')
        const href = name === 'a' ? (attributes['href'] ?? '') : ''
        if (!hidden) written.begin(name)
        open.push({ name, hidden, href })
      },
      ontext(text) {
        const inside = open.at(-1)
        if (inside?.hidden !== true) written.add(text, inside?.name === 'pre')
      },
      onclosetag(name) {
        const element = open.pop()
        if (element === undefined || element.hidden) return
        if (linkable(element.href) && !written.link.includes(bare(element.href)))
          written.add(` (${element.href})`, false)
        written.end(name)
      },
    },
    { decodeEntities: true },
  )
  for (let at = 0; at < html.length && open.length <= maxDepth; at += chunk)
    parser.write(html.slice(at, at + chunk))
  parser.end()
  return written.text()
}

function linkable(href: string): boolean {
  return href.length <= maxLink && /^(https?|mailto):\S+$/i.test(href)
}

/** Returns an address as people write it. */
function bare(href: string): string {
  return href.replace(/^(https?:\/\/|mailto:)/i, '').replace(/\/$/, '')
}

/** Collects lines of text. */
class Lines {
  readonly #done: string[] = []
  /** The pieces of the line. One growing string would be copied at each check of its end. */
  #line: string[] = []
  /** True at the start of the line, and after a space. */
  #isApart = true
  #quoted = 0
  /** The text since the start of the last link, at most as long as two addresses. */
  link = ''

  begin(name: string): void {
    if (name === 'a') this.link = ''
    if (name === 'br') this.#break()
    else if (lines.has(name) || paragraphs.has(name)) this.#flush(paragraphs.has(name))
    if (name === 'blockquote') this.#quoted += 1
    if (name === 'li') this.#push('- ')
  }

  end(name: string): void {
    if (lines.has(name) || paragraphs.has(name)) this.#flush(paragraphs.has(name))
    if (name === 'td' || name === 'th') this.#push(' ')
    if (name === 'blockquote') this.#quoted = Math.max(0, this.#quoted - 1)
  }

  add(text: string, verbatim: boolean): void {
    if (this.link.length < 2 * maxLink) this.link += text.slice(0, 2 * maxLink)
    if (!verbatim) {
      const collapsed = text.replace(/[\s\u00a0\u200b\u200c\ufeff]+/g, ' ')
      this.#push(this.#isApart ? collapsed.trimStart() : collapsed)
      return
    }
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) this.#break()
      this.#push(part)
    }
  }

  text(): string {
    this.#flush(false)
    return this.#done
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  }

  #push(piece: string): void {
    if (piece === '') return
    this.#line.push(piece)
    this.#isApart = piece.endsWith(' ')
  }

  #break(): void {
    this.#done.push(this.#prefix() + this.#line.join('').trimEnd())
    this.#clear()
  }

  #flush(apart: boolean): void {
    if (this.#line.some((piece) => piece.trim() !== '')) this.#break()
    this.#clear()
    if (apart && this.#done.at(-1) !== '') this.#done.push('')
  }

  #clear(): void {
    this.#line = []
    this.#isApart = true
  }

  #prefix(): string {
    return this.#quoted === 0 ? '' : `${'>'.repeat(Math.min(this.#quoted, maxQuotes))} `
  }
}
