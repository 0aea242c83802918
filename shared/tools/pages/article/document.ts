import { Parser } from 'htmlparser2'
import { parseHTML } from 'linkedom'
import { pageFailed } from '../fetch.ts'
import type { DomDocument, DomElement } from './dom.ts'

/** The maximum number of elements of a page. Such a document takes about 100 MB. */
const maxElements = 50_000
/** The maximum depth, which no real article exceeds. Deeper elements become siblings. */
const deepest = 128
/** The maximum number of elements that are open at the same time. The parser searches them for each end tag. */
const maxOpen = 2_000
const longestValue = 8192

/** Elements that are never part of an article. */
const dropped = new Set(
  'applet audio button canvas datalist dialog embed iframe input nav noscript object select style svg template textarea video'.split(
    ' ',
  ),
)
const droppedRoles = new Set(['alertdialog', 'dialog', 'menu', 'menubar', 'navigation', 'search'])
const ofHead = new Set(['base', 'link', 'meta', 'script', 'title'])
const keptTags = new Set(
  'alt class colspan content datetime dir href http-equiv id itemprop itemtype lang name property rel role src start title type'.split(
    ' ',
  ),
)

/**
 * Builds a document from a page that arrives in pieces. Omits scripts, controls, navigation and hidden elements. The
 * number of elements and their depth are limited.
 */
export class DocumentBuilder {
  readonly document: DomDocument
  readonly #parser: Parser
  /** The open elements. Undefined for an element that is not in the document itself. */
  readonly #open: (DomElement | undefined)[] = []
  /** The open elements that are in the document. */
  readonly #parents: DomElement[] = []
  #count = 0
  /** The index of the open element whose content is omitted. */
  #droppedFrom: number | undefined
  #text = ''
  /** The address of the first base element. */
  #base: string | undefined

  constructor({ isXhtml }: { isXhtml: boolean }) {
    const made: unknown = parseHTML('<!DOCTYPE html><html><head></head><body></body></html>')
    this.document = (made as { document: DomDocument }).document
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#begin(name.toLowerCase(), attributes),
        onclosetag: () => this.#end(),
        ontext: (text) => {
          if (this.#droppedFrom === undefined) this.#text += text
        },
      },
      { recognizeSelfClosing: isXhtml },
    )
  }

  write(text: string): void {
    this.#parser.write(text)
  }

  /** @returns the page's base address, as the page declares it */
  end(): { base: string | undefined } {
    this.#parser.end()
    this.#flush()
    return { base: this.#base }
  }

  #begin(name: string, attributes: Record<string, string>): void {
    this.#flush()
    if (this.#open.length >= maxOpen)
      throw pageFailed(`The page has more than ${maxOpen} elements within each other`)
    const element = this.#droppedFrom === undefined ? this.#enter(name, attributes) : undefined
    this.#open.push(element)
    if (element !== undefined) this.#parents.push(element)
  }

  #end(): void {
    this.#flush()
    if (this.#open.pop() !== undefined) this.#parents.pop()
    if (this.#droppedFrom === this.#open.length) this.#droppedFrom = undefined
  }

  #enter(name: string, attributes: Record<string, string>): DomElement | undefined {
    const root = this.#rootOf(name)
    if (root !== undefined) {
      setAttributes(root, attributes)
      return root
    }
    if (name === 'base') this.#base ??= attributes.href
    if (isDropped(name, attributes)) {
      this.#droppedFrom = this.#open.length
      return undefined
    }
    if (this.#parents.length >= deepest) return undefined
    if (++this.#count > maxElements)
      throw pageFailed(`The page has more than ${maxElements} elements`)
    const element = this.document.createElement(/^[a-z][a-z0-9-]*$/.test(name) ? name : 'span')
    setAttributes(element, attributes)
    this.#parentOf(ofHead.has(name)).appendChild(element)
    return element
  }

  #rootOf(name: string): DomElement | undefined {
    switch (name) {
      case 'html':
        return this.document.documentElement
      case 'head':
        return this.document.head
      case 'body':
        return this.document.body
      default:
        return undefined
    }
  }

  /** Returns the parent of a new element. `head` and `body` exist even if the page omits their tags. */
  #parentOf(isOfHead: boolean): DomElement {
    const { body, documentElement, head } = this.document
    const parent = this.#parents.at(-1)
    if (parent !== undefined && parent !== documentElement && parent !== head) return parent
    return isOfHead ? head : body
  }

  #flush(): void {
    const text = this.#text
    if (text === '') return
    this.#text = ''
    const parent = this.#parentOf(false)
    if (parent === this.document.body && text.trim() === '' && parent.firstChild === null) return
    parent.appendChild(this.document.createTextNode(text.replaceAll('\0', '')))
  }
}

function isDropped(name: string, attributes: Record<string, string>): boolean {
  if (dropped.has(name)) return true
  // JSON-LD names the author and the site.
  if (name === 'script') return attributes.type?.trim().toLowerCase() !== 'application/ld+json'
  const role = attributes.role?.trim().toLowerCase() ?? ''
  if (droppedRoles.has(role)) return true
  return (
    'hidden' in attributes ||
    (attributes['aria-hidden'] === 'true' && !attributes.class?.includes('fallback-image')) ||
    /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(
      attributes.style?.slice(0, longestValue) ?? '',
    )
  )
}

function setAttributes(element: DomElement, attributes: Record<string, string>): void {
  const isImage = element.nodeName === 'IMG'
  for (const [sourceName, value] of Object.entries(attributes)) {
    const name = sourceName.toLowerCase()
    // Lazy images have their address in one of these attributes.
    const isLate = isImage && /^data-[a-z-]{1,40}$/.test(name)
    if ((!keptTags.has(name) && !isLate) || value.length > longestValue) continue
    element.setAttribute(name, value)
  }
}
