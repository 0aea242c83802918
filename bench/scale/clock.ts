/** A simulated clock: `Date` returns its time, and scheduled work waits in order of time. */
export class Clock {
  readonly #heap: Happening[] = []
  #counted = 0
  now: number

  constructor(now: number) {
    this.now = now
  }

  /** @param ms from now */
  after(ms: number, run: () => Promise<void> | void): void {
    push(this.#heap, { at: this.now + Math.max(0, ms), order: this.#counted++, run })
  }

  /** Advances the time and runs everything that becomes due, in order. */
  async runUntil(at: number): Promise<void> {
    for (;;) {
      const next = this.#heap[0]
      if (next === undefined || next.at > at) break
      pop(this.#heap)
      this.now = next.at
      await next.run()
    }
    this.now = at
  }

  /** Makes `Date` return this clock's time until it is disposed. */
  install(): Disposable {
    const real = globalThis.Date
    const time = () => this.now
    class SimulatedDate extends real {
      constructor(...given: [] | [string | number | Date]) {
        if (given.length === 0) super(time())
        else super(given[0])
      }

      static override now(): number {
        return time()
      }
    }
    globalThis.Date = SimulatedDate as unknown as DateConstructor
    return { [Symbol.dispose]: () => void (globalThis.Date = real) }
  }
}

interface Happening {
  at: number
  order: number
  run: () => Promise<void> | void
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

function push(heap: Happening[], one: Happening): void {
  heap.push(one)
  for (let i = heap.length - 1; i > 0;) {
    const parent = (i - 1) >> 1
    if (!isBefore(heap[i]!, heap[parent]!)) return
    ;[heap[i], heap[parent]] = [heap[parent]!, heap[i]!]
    i = parent
  }
}

function pop(heap: Happening[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  heap[0] = last
  for (let i = 0; ;) {
    const [left, right] = [2 * i + 1, 2 * i + 2]
    let least = i
    for (const child of [left, right])
      if (child < heap.length && isBefore(heap[child]!, heap[least]!)) least = child
    if (least === i) return
    ;[heap[i], heap[least]] = [heap[least]!, heap[i]!]
    i = least
  }
}
