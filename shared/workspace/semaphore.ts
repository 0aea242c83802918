/** Lets so many of a process's works go on at once; the others wait their turn, or are refused. */
export class Semaphore {
  #free: number
  readonly #waiting: ((permit: Disposable) => void)[] = []

  constructor(free: number) {
    this.#free = free
  }

  /** A place to work in until it is disposed of; undefined where none gets free within that time. */
  async acquire(timeoutMs: number): Promise<Disposable | undefined> {
    if (this.#free > 0) {
      this.#free--
      return this.#permit()
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

  #permit(): Disposable {
    return {
      [Symbol.dispose]: () => {
        const next = this.#waiting.shift()
        if (next === undefined) this.#free++
        else next(this.#permit())
      },
    }
  }
}
