/** Two token buckets. Any minute has at most a bucket and 60 seconds of its rate: 1,100 lines, and less than a million bytes. */
const burst = { lines: 500, bytes: 512 * 1024 }
const aSecond = { lines: 10, bytes: 7 * 1024 }

/**
 * The output limit of a container. The operator pays for each byte of a log, and a loop that prints
 * writes ten megabytes a second. All output of a container shares one budget.
 */
export class OutputBudget {
  readonly #now: () => number
  #room = { ...burst }
  #refilledAt: number
  #printed = { lines: 0, bytes: 0 }
  #dropped = 0

  /** @param now milliseconds of a monotonic clock */
  constructor(now = () => performance.now()) {
    this.#now = now
    this.#refilledAt = now()
  }

  /** Since the start: the lines and bytes that were printed, and the lines that were dropped. */
  get totals(): { lines: number; bytes: number; dropped: number } {
    return { ...this.#printed, dropped: this.#dropped }
  }

  /** Returns whether there is room for many lines, so that output does not stop again immediately. */
  get isRoomy(): boolean {
    this.#refill()
    const { lines, bytes } = this.#room
    return lines >= burst.lines / 4 && bytes >= burst.bytes / 4
  }

  /** Takes the room of one line. @returns false, and takes nothing, if there is not enough */
  take(bytes: number): boolean {
    this.#refill()
    if (this.#room.lines < 1 || this.#room.bytes < bytes) return false
    this.#room.lines -= 1
    this.#room.bytes -= bytes
    this.count(bytes)
    return true
  }

  /** Counts a line that is printed outside the budget. */
  count(bytes: number): void {
    this.#printed.lines += 1
    this.#printed.bytes += bytes
  }

  /** @param lines negative for dropped lines that are printed later */
  countDropped(lines: number): void {
    this.#dropped += lines
  }

  #refill(): void {
    const now = this.#now()
    const seconds = (now - this.#refilledAt) / 1000
    this.#refilledAt = now
    this.#room = {
      lines: Math.min(burst.lines, this.#room.lines + seconds * aSecond.lines),
      bytes: Math.min(burst.bytes, this.#room.bytes + seconds * aSecond.bytes),
    }
  }
}
