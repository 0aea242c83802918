/**
 * Serializes the changes of a folder and skips changes with an older revision than an earlier one, because requests can
 * overtake each other. A change without a revision always applies. Revisions are kept in memory only, because every start of
 * an agent receives all data again.
 */
export class RevisionFence {
  readonly #last = new Map<string, number>()
  #floor = 0
  #queue: Promise<unknown> = Promise.resolve()

  /** Changes one thing. @returns undefined if a newer change of it, or of everything, has been made */
  change<T>(
    name: string,
    revision: number | undefined,
    work: () => Promise<T>,
  ): Promise<T | undefined> {
    return this.#enqueue(async () => {
      if (revision === undefined) return work()
      if (revision < Math.max(this.#floor, this.#last.get(name) ?? 0)) return undefined
      this.#last.set(name, revision)
      return work()
    })
  }

  /** Changes everything, once per revision, because later changes must stay. @returns undefined if this was done before */
  changeAll<T>(revision: number | undefined, work: () => Promise<T>): Promise<T | undefined> {
    return this.#enqueue(async () => {
      if (revision === undefined) return work()
      if (revision <= this.#floor) return undefined
      const done = await work()
      this.#floor = revision
      return done
    })
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(work)
    this.#queue = turn.catch(() => {})
    return turn
  }
}
