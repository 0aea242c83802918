/** Holds back work above a number of places; what waits goes on in the order of its coming. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(places: number) {
    this.#free = places
  }

  /** Resolves once there is a place; every `acquire` is followed by one `release`. */
  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Gives the place to the caller that has waited longest. */
  release(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}
