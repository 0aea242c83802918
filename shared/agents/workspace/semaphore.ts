/** Limits the concurrent operations of a process. Operations beyond the limit wait or are rejected. */
export class Semaphore {
  #free: number
  readonly #waiting: ((permit: Disposable) => void)[] = []

  constructor(free: number) {
    this.#free = free
  }

  /** Acquires a permit, which is released by its disposal. Returns undefined if none becomes free in time. */
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
