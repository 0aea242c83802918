import type { ElementAttributes, PageFields, CollectedElement } from '../fields.ts'
import { is, kindOf } from './elements.ts'
import { breaksOut, closeForeign, leaveForeign, openForeign } from './foreign.ts'
import { type OpenElement, OpenElements } from './open-elements.ts'
import { isQuirky } from './quirks.ts'
import { closeTablePart, leaveTable, openTablePart } from './table.ts'

/** The elements allowed in a noscript of the head; any other element starts the body. */
const inHeadNoscript = new Set(['basefont', 'bgsound', 'link', 'meta', 'noframes', 'style'])

const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

/** In svg and math, these contain markup like other elements, but their text is not the page's text. */
const isSilent = new Set(['noscript', 'script', 'style', 'template'])

const closesSelect = new Set(['input', 'keygen', 'textarea', 'select'])

/**
 * Follows the tree construction of a browser without JavaScript (WHATWG HTML 13.2.6), but stores only the open
 * elements. Reports the start and end of elements, and the text between them, to the fields.
 */
export class PageTree {
  readonly #fields: PageFields
  readonly #taken = new Map<OpenElement, CollectedElement>()
  /** The positions in the running text where elements start whose text is not the page's text. */
  readonly #silent: number[] = []
  readonly #open = new OpenElements((element) => this.#closed(element))
  #inBody = false
  #isFrameset = false
  #isQuirky = true
  /** The number of open templates. Their content is not part of the page, so only templates are tracked inside. */
  #templates = 0
  /** The open form; `outside` if it was left out of the tree (directly inside a table). */
  #form: OpenElement | 'outside' | undefined

  constructor(fields: PageFields) {
    this.#fields = fields
  }

  /** Reports whether the current tags belong to svg or math. */
  get isForeign(): boolean {
    return !this.#open.top.isHtmlInside
  }

  doctype(text: string): void {
    this.#isQuirky = isQuirky(text)
  }

  text(text: string): void {
    if (this.#templates > 0 || this.#isFrameset || (this.#open.top.kind & is.code) !== 0) return
    if (!this.#inBody && this.#open.top.name !== 'title' && this.#open.top.name !== 'noframes') {
      if (!/\S/.test(text)) return
      this.#beginBody()
    }
    this.#fields.text(text, this.#inBody && this.#silent.length === 0)
  }

  /** @param isClosed whether the tag is `<name/>` */
  start(name: string, attributes: ElementAttributes | undefined, isClosed: boolean): void {
    if (this.#templates > 0) {
      if (name === 'template') this.#templates++
      return
    }
    if (this.isForeign) {
      if (!breaksOut(name, attributes)) return this.#startForeign(name, attributes, isClosed)
      leaveForeign(this.#open)
    }
    if (!this.#inBody && !this.#inHead(name)) return
    if (this.#inBody && /^(?:html|head|body|frame|frameset)$/.test(name)) return
    if (name === 'template') this.#templates = 1
    else if (name === 'svg' || name === 'math') this.#startForeign(name, attributes, isClosed)
    else if (this.#open.last('select') === undefined) this.#startInBody(name, attributes)
    else this.#startInSelect(name, attributes)
  }

  end(name: string): void {
    if (this.#templates > 0) {
      if (name === 'template') this.#templates--
      return
    }
    if (this.isForeign) {
      if (name !== 'p' && name !== 'br' && closeForeign(this.#open, name)) return
    }
    const kind = kindOf(name)
    if (name === 'body' || name === 'html' || name === 'head') return
    // An end tag alone creates these elements.
    if ((name === 'p' || name === 'br') && this.#inBody) this.#fields.gap()
    if (name === 'p') this.#closeInScope(name, 'button')
    else if (name === 'li') this.#closeInScope(name, 'list')
    else if (name === 'dd' || name === 'dt' || (kind & is.block) !== 0)
      this.#closeInScope(name, 'scope')
    else if ((kind & is.heading) !== 0) this.#closeHeading()
    else if (name === 'form') this.#closeForm()
    else if (name === 'table' || ((kind & is.tablePart) !== 0 && name !== 'colgroup'))
      closeTablePart(this.#open, name)
    else if ((kind & is.formatting) !== 0) this.#closeFormatting(name)
    else this.#closeOther(name)
  }

  finish(): void {
    this.#open.popAbove(0)
  }

  /** @returns whether the tag must still be processed */
  #inHead(name: string): boolean {
    if (this.#isFrameset || name === 'html' || name === 'head') return false
    if (name === 'frameset') {
      this.#isFrameset = true
      return false
    }
    const isInNoscript = this.#silent.length > 0
    if (isInNoscript && !inHeadNoscript.has(name)) this.#open.popAbove(0)
    if ((kindOf(name) & is.head) === 0) this.#beginBody()
    return name !== 'body'
  }

  #beginBody(): void {
    this.#open.popAbove(0)
    this.#inBody = true
  }

  #startInBody(name: string, attributes: ElementAttributes | undefined): void {
    const kind = kindOf(name)
    if ((kind & is.tablePart) !== 0) {
      if (this.#open.top.context !== undefined) this.#fields.gap()
      return openTablePart(this.#open, name)
    }
    if (name === 'table') {
      leaveTable(this.#open)
      if (!this.#isQuirky) this.#closeInScope('p', 'button')
    } else if (name === 'form') {
      if (!this.#opensForm()) return
    } else if (name === 'li') this.#closeItem('li')
    else if (name === 'dd' || name === 'dt') this.#closeItem('dd', 'dt')
    if ((kind & is.closesP) !== 0 && name !== 'table') this.#closeInScope('p', 'button')
    if ((kind & is.heading) !== 0 && (this.#open.top.kind & is.heading) !== 0) this.#open.pop()
    else if (name === 'button') this.#closeInScope('button', 'scope')
    else if (name === 'a' || name === 'nobr') this.#reopen(name)
    else if ((name === 'option' || name === 'optgroup') && this.#open.top.name === 'option')
      this.#open.pop()
    this.#push(name === 'image' ? 'img' : name, attributes)
  }

  #push(name: string, attributes: ElementAttributes | undefined): void {
    if (attributes !== undefined) this.#read(name, attributes)
    const kind = kindOf(name)
    if ((kind & is.border) !== 0) this.#fields.gap()
    if ((kind & is.void) !== 0) return
    const { special } = this.#open.top
    const element = this.#open.push(name)
    if (element === undefined) return
    if (name === 'form') this.#form = element
    if (name === 'noscript') this.#silent.push(this.#fields.place)
    if ((element.kind & is.special) !== 0) this.#splitLink(special)
    this.#take(element, attributes)
  }

  #read(name: string, attributes: ElementAttributes): void {
    if (name === 'img') this.#fields.image(attributes)
    else if (name === 'meta') this.#fields.meta(attributes)
    else if (name === 'base') this.#fields.base(attributes)
  }

  #take(element: OpenElement, attributes: ElementAttributes | undefined): void {
    const collected = this.#fields.open(element.name, attributes)
    if (collected !== undefined) this.#taken.set(element, collected)
  }

  #closed(element: OpenElement): void {
    const collected = this.#taken.get(element)
    if (collected !== undefined) {
      this.#taken.delete(element)
      this.#fields.close(collected)
    }
    if ((element.kind & is.border) !== 0) this.#fields.gap()
    if (element === this.#form) this.#form = undefined
    if (element.namespace === 'html' ? element.name === 'noscript' : isSilent.has(element.name))
      this.#fields.cut(this.#silent.pop() ?? 0)
  }

  #startForeign(name: string, attributes: ElementAttributes | undefined, isClosed: boolean): void {
    const element = openForeign(this.#open, name, attributes)
    if (element === undefined) return
    if (name === 'a') this.#take(element, attributes)
    if (isSilent.has(name)) this.#silent.push(this.#fields.place)
    if (isClosed) this.#open.pop()
  }

  /** A select contains only options, and ends at a tag of a table or of another control. */
  #startInSelect(name: string, attributes: ElementAttributes | undefined): void {
    const select = this.#open.last('select')
    if (select === undefined) return
    const isOfTable = name === 'table' || (kindOf(name) & is.tablePart) !== 0
    if (closesSelect.has(name) || (isOfTable && select.context !== undefined)) {
      this.#open.popThrough(select)
      if (name !== 'select') this.#startInBody(name, attributes)
    } else if (name === 'option' || name === 'optgroup' || name === 'hr') {
      if (this.#open.top.name === 'option') this.#open.pop()
      if (name !== 'option' && this.#open.top.name === 'optgroup') this.#open.pop()
      this.#push(name, attributes)
    } else if (name === 'script') this.#push(name, attributes)
  }

  /** @returns false for a nested form, which is ignored */
  #opensForm(): boolean {
    if (this.#form !== undefined) return false
    const { context, name } = this.#open.top
    const isInTable =
      context !== undefined && context.name === name && !/^(?:td|th|caption)$/.test(name)
    if (isInTable) this.#form = 'outside'
    return !isInTable
  }

  #closeForm(): void {
    const form = this.#form
    this.#form = undefined
    if (form === undefined || form === 'outside') return
    if (form.depth >= this.#open.top.scope) this.#open.remove(form)
  }

  #closeInScope(name: string, scope: 'scope' | 'button' | 'list'): void {
    const element = this.#open.inScope(name, scope)
    if (element !== undefined) this.#open.popThrough(element)
  }

  #closeHeading(): void {
    const found = headings.flatMap((name) => this.#open.inScope(name, 'scope') ?? [])
    const [nearest] = found.sort((one, other) => other.depth - one.depth)
    if (nearest !== undefined) this.#open.popThrough(nearest)
  }

  /** Closes the open list item, unless a special element is in between. */
  #closeItem(...names: string[]): void {
    for (const name of names) {
      const item = this.#open.last(name)
      if (item !== undefined && item.depth >= this.#open.top.listItem)
        return this.#open.popThrough(item)
    }
  }

  #closeOther(name: string): void {
    const element = this.#open.last(name)
    if (element !== undefined && element.depth >= this.#open.top.special)
      this.#open.popThrough(element)
  }

  /** Links cannot be nested: a new link closes the open one. */
  #reopen(name: 'a' | 'nobr'): void {
    const element = this.#open.last(name)
    if (element !== undefined && element.depth > this.#open.top.marker) {
      this.#closeFormatting(name)
      if (this.#open.last(name) === element) this.#open.remove(element)
    }
  }

  /**
   * Implements the adoption agency algorithm (13.2.6.4.7). It would copy the element into moved blocks; for links this
   * would create a second link with the same address, which is ignored. The element therefore ends where the first
   * block inside it starts.
   */
  #closeFormatting(name: string): void {
    const element = this.#open.last(name)
    if (element === undefined || element.depth <= this.#open.top.marker)
      return this.#closeOther(name)
    if (element.depth < this.#open.top.scope) return
    const { special } = this.#open.top
    if (special < element.depth) return this.#open.popThrough(element)
    const collected = this.#taken.get(element)
    if (collected !== undefined) collected.until = this.#splitAt
    this.#open.remove(element)
    this.#open.popAbove(special)
  }

  /** The position of the first block inside the open link. */
  #splitAt: number | undefined

  #splitLink(special: number): void {
    const link = this.#open.last('a')
    if (link !== undefined && special < link.depth) this.#splitAt = this.#fields.place
  }
}
