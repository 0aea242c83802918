import { PlatformError } from '#shared/platform/errors.ts'
import { AddressList } from './addresses.ts'
import { maxPageBytes } from './limits.ts'
import { TextList } from './text-list.ts'
import { beginning, collapsed, WordCounter } from './text.ts'

/** spec.md, Limits: Summarizer. */
const limits = { headings: 20, paragraphs: 10, links: 50, images: 20, characters: 100 } as const

/** The maximum number of meta fields. Real pages have fewer. */
const maxMeta = 1000

/**
 * The maximum number of characters that elements may collect. Nested elements collect the same text several times: a
 * page with one paragraph and one link around everything stays below the limit; a hundred nested elements would take
 * minutes and gigabytes.
 */
const maxTaken = 2 * maxPageBytes

/** The content of a page. */
export interface PageContent {
  title: string
  description: string
  headings: string[]
  paragraphs: string[]
  wordCount: number
  links: { href: string; text: string }[]
  images: { src: string; alt: string }[]
  meta: Record<string, string>
}

export type ElementAttributes = Readonly<Record<string, string>>

/** An element whose text is collected, with its start position in the running text. */
export interface CollectedElement {
  from: number
  /** The position where its text ends before the element does. */
  until: number | undefined
  take(text: string): void
}

/** Collects the fields of a page while it is read. Text is in memory only while an element that collects it is open. */
export class PageFields {
  readonly #titles = new TextList(1)
  readonly #firstHeadings = new TextList(1)
  readonly #headings = new TextList(limits.headings)
  readonly #paragraphs = new TextList(limits.paragraphs)
  readonly #links: AddressList
  readonly #images: AddressList
  readonly #meta = new Map<string, string>()
  readonly #words = new WordCounter()
  #description = ''
  #text = ''
  #taking = 0
  /** The number of characters collected so far. */
  #takenLength = 0

  /** @param url the page's address */
  constructor(url: URL) {
    this.#links = new AddressList(limits.links, url)
    this.#images = new AddressList(limits.images, url)
  }

  /** The current position in the running text. */
  get place(): number {
    return this.#text.length
  }

  /** @param isCounted whether the text counts as words */
  text(text: string, isCounted: boolean): void {
    if (this.#taking > 0) this.#text += text
    if (isCounted) this.#words.add(text)
  }

  /** Adds white space at the start or end of a line or block. */
  gap(): void {
    if (this.#taking > 0) this.#text += ' '
    this.#words.end()
  }

  /** Discards the text after a position. Only elements that are closed by now have collected it. */
  cut(place: number): void {
    this.#text = this.#text.slice(0, place)
  }

  /** @returns undefined if the element's text is not collected */
  open(name: string, attributes: ElementAttributes | undefined): CollectedElement | undefined {
    const take = this.#taker(name, attributes)
    if (take === undefined) return undefined
    this.#taking++
    return { from: this.#text.length, until: undefined, take }
  }

  /** @throws PlatformError if the page's elements have collected too much */
  close({ from, until, take }: CollectedElement): void {
    const text = this.#text.slice(from, until)
    this.#takenLength += text.length
    if (this.#takenLength > maxTaken)
      throw new PlatformError(
        'internal',
        'The page has too much text in elements within each other',
      )
    take(text)
    if (--this.#taking === 0) this.#text = ''
  }

  #taker(
    name: string,
    attributes: ElementAttributes | undefined,
  ): CollectedElement['take'] | undefined {
    switch (name) {
      case 'title':
        return this.#titles.begin()
      case 'h1': {
        const takers = [this.#firstHeadings.begin(), this.#headings.begin()]
        return takers.some(Boolean) ? (text) => takers.forEach((take) => take?.(text)) : undefined
      }
      case 'h2':
      case 'h3':
        return this.#headings.begin()
      case 'p':
        return this.#paragraphs.begin()
      case 'a': {
        const entry = this.#links.add(attributes?.href)
        return entry && ((text) => (entry.text = label(text)))
      }
      default:
        return undefined
    }
  }

  image({ src, alt = '' }: ElementAttributes): void {
    const entry = this.#images.add(src)
    if (entry !== undefined) entry.text = label(alt)
  }

  meta({ name, property, content }: ElementAttributes): void {
    if (content === undefined) return
    for (const key of new Set([property, name].map((each) => each?.trim().toLowerCase()))) {
      if (key === undefined || !/^(?:og:|twitter:|description$)/.test(key)) continue
      const text = collapsed(content)
      if (key === 'description') this.#description ||= text
      if (!this.#meta.has(key) && this.#meta.size < maxMeta) this.#meta.set(key, text)
      if (key === 'og:description') this.#openGraph ||= text
    }
  }
  #openGraph = ''

  base({ href }: ElementAttributes): void {
    if (href === undefined) return
    this.#links.rebase(href)
    this.#images.rebase(href)
  }

  content(): PageContent {
    return {
      title: this.#titles.texts[0] ?? this.#firstHeadings.texts[0] ?? '',
      description: this.#description || this.#openGraph,
      headings: this.#headings.texts,
      paragraphs: this.#paragraphs.texts,
      wordCount: this.#words.count,
      links: this.#links.entries.map(({ href, text }) => ({ href, text })),
      images: this.#images.entries.map(({ href, text }) => ({ src: href, alt: text })),
      meta: Object.fromEntries(this.#meta),
    }
  }
}

function label(text: string): string {
  return beginning(collapsed(text), limits.characters)
}
