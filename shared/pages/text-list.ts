import { collapsed } from './text.ts'

/** Of elements of one kind inside each other; what is deeper is not taken by itself. */
const mostOpen = 64

/** The texts of elements of one kind, in the order in which they begin: none twice, none empty, the first ones only. */
export class TextList {
  readonly #max: number
  readonly #found: { order: number; text: string }[] = []
  #begun = 0
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** @returns what takes the element's text at its end; undefined where it can be none of the first any more */
  begin(): ((text: string) => void) | undefined {
    if (this.#found.length >= this.#max || this.#open >= mostOpen) return undefined
    const order = this.#begun++
    this.#open++
    return (text) => {
      this.#open--
      this.#add(order, collapsed(text))
    }
  }

  /** One that holds another begins before it and ends after it. */
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
