/** What the gateway knows of itself while it runs: how much it did, and what that took. */
export interface Figures {
  uptimeMs: number
  /** Of one core, since the last look; since the start at the first one. */
  cpuPercent: number
  memoryBytes: number
  /** Messages that were answered, or should have been. */
  messages: number
  /** Those of them that failed. */
  errors: number
  /** Null before the first answer. */
  averageResponseMs: number | null
  pids: number
}

/** Two looks within a moment see the same figure: the CPU time of a moment says nothing. */
const momentMs = 1000

/** Counts messages as they are answered. */
export class Counters {
  readonly #startedAt = performance.now()
  #looked = { at: performance.now(), cpuMs: 0, percent: 0 }
  #messages = 0
  #errors = 0
  #answeredMs = 0

  /** @param ms how long the answer took, to its last byte */
  count({ failed, ms }: { failed: boolean; ms: number }): void {
    this.#messages += 1
    if (failed) this.#errors += 1
    else this.#answeredMs += ms
  }

  read(): Figures {
    const answered = this.#messages - this.#errors
    return {
      uptimeMs: Math.round(performance.now() - this.#startedAt),
      cpuPercent: this.#cpuPercent(),
      memoryBytes: process.memoryUsage.rss(),
      messages: this.#messages,
      errors: this.#errors,
      averageResponseMs: answered === 0 ? null : Math.round(this.#answeredMs / answered),
      pids: 1,
    }
  }

  #cpuPercent(): number {
    const { user, system } = process.cpuUsage()
    const [at, cpuMs] = [performance.now(), (user + system) / 1000]
    const passed = at - this.#looked.at
    if (passed < momentMs && this.#looked.cpuMs > 0) return this.#looked.percent
    const percent = Math.round(((cpuMs - this.#looked.cpuMs) / Math.max(1, passed)) * 1000) / 10
    this.#looked = { at, cpuMs, percent }
    return percent
  }
}
