/** Lets so many of a process's works go on at once; the others wait their turn, or go without. */
export class Slots {
  #free: number
  readonly #waiting: ((slot: Disposable) => void)[] = []

  constructor(free: number) {
    this.#free = free
  }

  /** A place to work in until it is disposed of; undefined where none gets free within that time. */
  async take(timeoutMs: number): Promise<Disposable | undefined> {
    if (this.#free > 0) {
      this.#free--
      return this.#slot()
    }
    const { promise, resolve } = Promise.withResolvers<Disposable | undefined>()
    this.#waiting.push(resolve)
    const timer = setTimeout(() => {
      const index = this.#waiting.indexOf(resolve)
      if (index >= 0) this.#waiting.splice(index, 1)
      resolve(undefined)
    }, timeoutMs)
    return promise.finally(() => clearTimeout(timer))
  }

  #slot(): Disposable {
    return {
      [Symbol.dispose]: () => {
        const next = this.#waiting.shift()
        if (next === undefined) this.#free++
        else next(this.#slot())
      },
    }
  }
}
