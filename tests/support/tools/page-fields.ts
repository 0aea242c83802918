import { type DOMParser, JSDOM, type JsdomElement } from 'jsdom'
import type { PageContent } from '#shared/tools/pages/fields.ts'

const svg = 'http://www.w3.org/2000/svg'
const html = 'http://www.w3.org/1999/xhtml'

/** The elements that start a new line or cell (the style sheet of WHATWG HTML 15.3). */
const bordered =
  'address, article, aside, blockquote, body, br, caption, center, dd, details, dialog, dir, div, dl, dt, fieldset, figcaption, figure, footer, form, h1, h2, h3, h4, h5, h6, header, hgroup, hr, legend, li, listing, main, menu, nav, ol, optgroup, option, p, plaintext, pre, search, section, summary, table, tbody, td, tfoot, th, thead, tr, ul, xmp'

/**
 * Returns the fields of a page in the plainest way, from a full DOM tree. Tests compare the reader's fields with these.
 */
export function fieldsByJsdom(html: string, url: string): PageContent {
  const document = documentOf(html, url)
  const all = (selectors: string) => [...document.querySelectorAll(selectors)]
  const texts = (selectors: string) => unique(all(selectors).map(textOf).filter(Boolean))
  const isPage = ({ namespaceURI }: JsdomElement) => namespaceURI !== svg
  const title = all('title').filter(isPage).map(textOf).find(Boolean)
  const meta = all('meta[content]').flatMap((element) =>
    ['property', 'name'].flatMap((name) => {
      const key = element.getAttribute(name)?.trim().toLowerCase() ?? ''
      const isRead = /^(?:og:|twitter:|description$)/.test(key)
      return isRead ? [[key, collapse(element.getAttribute('content') ?? '')] as const] : []
    }),
  )
  const valueOf = (name: string) => meta.find(([key, value]) => key === name && value !== '')?.[1]
  const absolute = (address: string | null) => {
    const target = URL.parse(address ?? '', document.baseURI)
    return target !== null && /^https?:$/.test(target.protocol) ? target.href : undefined
  }
  const found = (selectors: string, attribute: string, text: (one: JsdomElement) => string) => {
    const byAddress = new Map<string, string>()
    for (const element of all(selectors)) {
      const address = absolute(element.getAttribute(attribute))
      if (address !== undefined && !byAddress.has(address)) byAddress.set(address, text(element))
    }
    return [...byAddress]
  }
  return {
    title: title ?? texts('h1')[0] ?? '',
    description: valueOf('description') ?? valueOf('og:description') ?? '',
    headings: texts('h1, h2, h3').slice(0, 20),
    paragraphs: texts('p').slice(0, 10),
    // In a page of frames, `document.body` is the frameset.
    wordCount: document.body?.localName === 'body' ? wordsOf(document.body) : 0,
    links: found('a[href]', 'href', (one) => cut(textOf(one)))
      .slice(0, 50)
      .map(([href, text]) => ({ href, text })),
    images: found('img[src]', 'src', (one) => cut(collapse(one.getAttribute('alt') ?? '')))
      .slice(0, 20)
      .map(([src, alt]) => ({ src, alt })),
    meta: Object.fromEntries(meta.toReversed()),
  }
}

const parsers = new Map<string, DOMParser>()

/** Parses a page. All pages of an address share a window, whose creation takes more CPU time than most pages. */
function documentOf(html: string, url: string) {
  const parser = parsers.get(url) ?? new new JSDOM('', { url }).window.DOMParser()
  parsers.set(url, parser)
  return parser.parseFromString(html, 'text/html')
}

/** Returns an element's text without code and without fallback content. */
function rawTextOf(element: JsdomElement): string {
  const copy = element.cloneNode(true)
  for (const other of copy.querySelectorAll('script, style, noscript, template')) other.remove()
  for (const other of copy.querySelectorAll(bordered)) {
    if (other.namespaceURI !== html) continue
    other.before(' ')
    other.prepend(' ')
    other.append(' ')
    other.after(' ')
  }
  return copy.textContent
}

function textOf(element: JsdomElement): string {
  return collapse(rawTextOf(element))
}

function wordsOf(element: JsdomElement): number {
  return rawTextOf(element).split(/\s+/).filter(Boolean).length
}

function collapse(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function cut(text: string): string {
  return text.length <= 100
    ? text
    : text
        .slice(0, 100)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)]
}
