import { is, kindOf } from './elements.ts'

export type Namespace = 'html' | 'svg' | 'math'

export interface OpenElement {
  name: string
  kind: number
  namespace: Namespace
  /** The element's direct content follows HTML's rules. */
  isHtmlInside: boolean
  depth: number
  below: OpenElement | undefined
  /** The next lower element with the same name. */
  sameBelow: OpenElement | undefined
  /** The nearest table or table part, including the element itself. */
  context: OpenElement | undefined
  /** Depths of the nearest special element, scope boundary, marker and HTML element, including the element itself. */
  special: number
  listItem: number
  scope: number
  button: number
  list: number
  table: number
  marker: number
  html: number
  /** The element was removed from the middle; the elements above it stay. */
  isRemoved: boolean
}

export type ElementScope = 'scope' | 'button' | 'list' | 'table'

/** The maximum depth, which limits the memory for hostile pages. Real pages are less deep. */
const deepest = 20_000

/** The search for a list item continues through these elements (13.2.6.4.7). */
const isPassed = new Set(['address', 'div', 'p'])

/**
 * The stack of open elements (13.2.4.2). Each element stores the nearest elements that the rules need, so that no
 * lookup walks down the stack: a page with a million open elements takes no longer per tag than any other.
 */
export class OpenElements {
  top: OpenElement
  readonly #last = new Map<string, OpenElement>()
  readonly #onClosed: (element: OpenElement) => void

  constructor(onClosed: (element: OpenElement) => void) {
    this.#onClosed = onClosed
    this.top = {
      name: 'html',
      kind: kindOf('html'),
      namespace: 'html',
      isHtmlInside: true,
      depth: 0,
      below: undefined,
      sameBelow: undefined,
      context: undefined,
      special: 0,
      listItem: 0,
      scope: 0,
      button: 0,
      list: 0,
      table: 0,
      marker: -1,
      html: 0,
      isRemoved: false,
    }
  }

  /** @returns undefined beyond the maximum depth: the element is then read as if it had no end */
  push(
    name: string,
    namespace: Namespace = 'html',
    isIntegration = false,
  ): OpenElement | undefined {
    const below = this.top
    const depth = below.depth + 1
    if (depth > deepest) return undefined
    const isHtml = namespace === 'html'
    const kind = isHtml ? kindOf(name) : 0
    const key = isHtml ? name : `${namespace}:${name}`
    const isScope = isIntegration || (kind & is.scope) !== 0
    const isSpecial = isIntegration || (kind & is.special) !== 0
    const isTable = name === 'table' || (kind & is.tablePart) !== 0
    const element: OpenElement = {
      name,
      kind,
      namespace,
      isHtmlInside: isHtml || isIntegration,
      depth,
      below,
      sameBelow: this.#last.get(key),
      context: below.context,
      special: isSpecial ? depth : below.special,
      listItem: isSpecial && !isPassed.has(name) ? depth : below.listItem,
      scope: isScope ? depth : below.scope,
      button: isScope || (kind & is.buttonScope) !== 0 ? depth : below.button,
      list: isScope || (kind & is.listScope) !== 0 ? depth : below.list,
      table: (kind & is.tableScope) === 0 ? below.table : depth,
      marker: (kind & is.marker) === 0 ? below.marker : depth,
      html: isHtml ? depth : below.html,
      isRemoved: false,
    }
    if (isTable) element.context = element
    this.#last.set(key, element)
    this.top = element
    return element
  }

  /** Returns the last element with a name, at any depth. */
  last(name: string, namespace: Namespace = 'html'): OpenElement | undefined {
    return this.#last.get(namespace === 'html' ? name : `${namespace}:${name}`)
  }

  /** Returns the last element with a name, unless a boundary of the scope is above it (13.2.4.2). */
  inScope(name: string, scope: ElementScope): OpenElement | undefined {
    const element = this.#last.get(name)
    return element !== undefined && element.depth >= this.top[scope] ? element : undefined
  }

  pop(): void {
    const element = this.top
    if (element.below === undefined) return
    this.top = element.below
    if (!element.isRemoved) this.#forget(element)
  }

  /** Closes an element and everything open inside it. */
  popThrough(element: OpenElement): void {
    while (this.top.depth >= element.depth) this.pop()
  }

  /** Closes everything open above a depth. */
  popAbove(depth: number): void {
    while (this.top.depth > depth) this.pop()
  }

  /** Removes the last element of its name from the middle. Elements inside it stay open. */
  remove(element: OpenElement): void {
    if (element === this.top) return this.pop()
    element.isRemoved = true
    this.#forget(element)
  }

  #forget(element: OpenElement): void {
    const { name, namespace, sameBelow } = element
    const key = namespace === 'html' ? name : `${namespace}:${name}`
    if (sameBelow === undefined) this.#last.delete(key)
    else this.#last.set(key, sameBelow)
    this.#onClosed(element)
  }
}
