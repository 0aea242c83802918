import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { PageTree } from './tree.ts'

/** The attributes that are read, by element. */
const wanted = new Map([
  ['a', ['href']],
  ['img', ['src', 'alt']],
  ['image', ['src', 'alt']],
  ['meta', ['name', 'property', 'content']],
  ['base', ['href']],
  ['font', ['color', 'face', 'size']],
  ['annotation-xml', ['encoding']],
])

/**
 * Passes a page's tags and texts to its tree as they arrive. The tokenizer reports only positions, so the reader keeps
 * just the text that may still be requested.
 */
export class TagReader implements TokenizerCallbacks {
  readonly #tree: PageTree
  readonly #tokenizer: Tokenizer
  readonly #isXhtml: boolean
  #text = ''
  /** The position of the text's start in the page. */
  #offset = 0
  /** Everything before this position has been reported by the tokenizer. */
  #reported = 0
  #name = ''
  #wanted: readonly string[] | undefined
  #attributes: Record<string, string> | undefined
  #attribute: string | undefined
  #value = ''

  constructor(tree: PageTree, { isXhtml }: { isXhtml: boolean }) {
    this.#tree = tree
    this.#isXhtml = isXhtml
    this.#tokenizer = new Tokenizer({ recognizeSelfClosing: isXhtml }, this)
  }

  write(text: string): void {
    const unreported = this.#text.slice(this.#reported - this.#offset)
    this.#offset = this.#reported
    this.#text = unreported === '' ? text : unreported + text
    this.#tokenizer.write(text)
  }

  end(): void {
    this.#tokenizer.end()
    this.#tree.finish()
  }

  isInForeignContext(): boolean {
    return this.#tree.isForeign
  }

  ontext(start: number, end: number): void {
    this.#tree.text(withoutZeros(this.#read(start, end)))
  }

  ontextentity(codePoint: number, end: number): void {
    this.#reported = end
    this.#tree.text(String.fromCodePoint(codePoint))
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#read(start, end).toLowerCase()
    this.#wanted = wanted.get(this.#name)
    this.#attributes = this.#wanted && {}
  }

  onattribname(start: number, end: number): void {
    this.#value = ''
    this.#attribute = undefined
    if (this.#wanted === undefined) this.#reported = end
    else this.#attribute = this.#wantedName(this.#read(start, end).toLowerCase())
  }

  /** The first attribute with a name counts. */
  #wantedName(name: string): string | undefined {
    const isNew = this.#attributes?.[name] === undefined
    return isNew && this.#wanted?.includes(name) === true ? name : undefined
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === undefined) this.#reported = end
    else this.#value += this.#read(start, end)
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== undefined) this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(_quote: unknown, end: number): void {
    this.#reported = end
    if (this.#attribute === undefined || this.#attributes === undefined) return
    this.#attributes[this.#attribute] = this.#value.replaceAll('\0', '\ufffd')
    this.#attribute = undefined
  }

  onopentagend(end: number): void {
    this.#reported = end
    this.#tree.start(this.#name, this.#attributes, false)
  }

  onselfclosingtag(end: number): void {
    this.#reported = end
    this.#tree.start(this.#name, this.#attributes, true)
    if (this.#isXhtml) this.#tree.end(this.#name)
  }

  onclosetag(start: number, end: number): void {
    this.#tree.end(this.#read(start, end).toLowerCase())
  }

  ondeclaration(start: number, end: number): void {
    this.#tree.doctype(this.#read(start, end))
  }

  /** Text inside svg and math, a comment elsewhere. */
  oncdata(start: number, end: number, endOffset: number): void {
    this.#reported = end
    if (this.#tree.isForeign) this.#tree.text(withoutZeros(this.#read(start, end - endOffset)))
  }

  oncomment(_start: number, end: number): void {
    this.#reported = end
  }

  onprocessinginstruction(_start: number, end: number): void {
    this.#reported = end
  }

  onend(): void {}

  #read(start: number, end: number): string {
    const text = this.#text.slice(start - this.#offset, end - this.#offset)
    if (end > this.#reported) this.#reported = end
    return text
  }
}

/** Removes zero characters, which HTML ignores: 13.2.6.4.7. */
function withoutZeros(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}
