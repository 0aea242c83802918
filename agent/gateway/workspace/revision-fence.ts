/**
 * Carries out changes of a folder one after the other, and none that is older than what was done: their sender
 * may have been overtaken. A change without a revision copies nothing from elsewhere and always counts. Revisions are
 * remembered as long as the process lives, and each start of an agent is given everything anew.
 */
export class RevisionFence {
  readonly #last = new Map<string, number>()
  #floor = 0
  #queue: Promise<unknown> = Promise.resolve()

  /** Changes one thing. @returns undefined where a newer change of it, or of everything, came first */
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

  /** Changes everything, once a revision: what came after it must stay. @returns undefined where that was done */
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
