import { collapsed } from './text.ts'

/** The maximum number of nested elements of one kind; deeper ones are not collected separately. */
const maxOpen = 64

/**
 * The texts of elements of one kind, in the order of their start tags, without duplicates and empty texts, up to a
 * limit.
 */
export class TextList {
  readonly #max: number
  readonly #found: { order: number; text: string }[] = []
  #begun = 0
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** @returns a function that takes the element's text at its end, or undefined if the list is full */
  begin(): ((text: string) => void) | undefined {
    if (this.#found.length >= this.#max || this.#open >= maxOpen) return undefined
    const order = this.#begun++
    this.#open++
    return (text) => {
      this.#open--
      this.#add(order, collapsed(text))
    }
  }

  /** An outer element starts before its inner one and ends after it. */
  #add(order: number, text: string): void {
    if (text === '') return
    const same = this.#found.find((each) => each.text === text)
    if (same === undefined) this.#found.push({ order, text })
    else same.order = Math.min(same.order, order)
  }

  get texts(): string[] {
    const inOrder = this.#found.toSorted((one, other) => one.order - other.order)
    return inOrder.slice(0, this.#max).map(({ text }) => text)
  }
}
