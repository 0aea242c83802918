/** The used part of linkedom's DOM. The library's own types need the types of a browser. */
export interface DomNode {
  nodeType: number
  nodeName: string
  parentNode: DomElement | null
  firstChild: DomNode | null
  nextSibling: DomNode | null
  textContent: string
}

export interface DomElement extends DomNode {
  className: string
  children: Iterable<DomElement>
  appendChild(node: DomNode): void
  closest(selector: string): DomElement | null
  getAttribute(name: string): string | null
  getElementsByTagName(name: string): Iterable<DomElement>
  querySelector(selector: string): DomElement | null
  setAttribute(name: string, value: string): void
}

export interface DomDocument {
  documentElement: DomElement
  head: DomElement
  body: DomElement
  createElement(name: string): DomElement
  createTextNode(text: string): DomNode
  querySelector(selector: string): DomElement | null
}

const element = 1
const text = 3

export function isElement(node: DomNode): node is DomElement {
  return node.nodeType === element
}

/** Converts a node of turndown. The library's own types need the types of a browser. */
export function asElement(node: unknown): DomElement {
  return node as DomElement
}

/**
 * Returns the nodes below a node in page order, and each element again when it ends. Not recursive, so that any depth
 * works.
 */
export function* walk(
  root: DomNode,
): Generator<{ kind: 'text' | 'begin' | 'end'; node: DomNode }, void, undefined> {
  let node = root.firstChild
  while (node !== null && node !== root) {
    if (node.nodeType === text) yield { kind: 'text', node }
    else if (isElement(node)) {
      yield { kind: 'begin', node }
      if (node.firstChild !== null) {
        node = node.firstChild
        continue
      }
      yield { kind: 'end', node }
    }
    while (node !== null && node.nextSibling === null) {
      node = node.parentNode
      if (node === null || node === root) return
      yield { kind: 'end', node }
    }
    node = node?.nextSibling ?? null
  }
}
