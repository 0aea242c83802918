import type { Traffic } from './traffic.ts'

/** The gateway's statistics since its start. */
export interface Stats extends Traffic {
  uptimeMs: number
  /** Percent of one core since the last read, or since the start. Null if the system does not report it. */
  cpuPercent: number | null
  memoryBytes: number | null
  /** The number of messages, including failed ones. */
  messages: number
  /** The number of failed messages. */
  errors: number
  /** Null before the first reply. */
  averageResponseMs: number | null
  pids: number | null
}

/** The resources that processes have used so far. */
export interface Consumption {
  cpuMs: number
  memoryBytes: number
  pids: number
}

/** Two reads within this time return the same figure, because the CPU time of a very short interval is meaningless. */
const momentMs = 1000

/** Counts messages. */
export class Counters {
  readonly #startedAt = performance.now()
  readonly #traffic: () => Traffic
  readonly #consumption: () => Consumption | undefined
  #looked = { at: performance.now(), cpuMs: 0, percent: 0 }
  #messages = 0
  #errors = 0
  #answeredMs = 0

  /** @param consumption default: of this process. Returns undefined if the system does not report it */
  constructor(traffic: () => Traffic, consumption: () => Consumption | undefined = ownConsumption) {
    this.#traffic = traffic
    this.#consumption = consumption
  }

  /** @param ms the duration of the response to its last byte */
  count({ failed, ms }: { failed: boolean; ms: number }): void {
    this.#messages += 1
    if (failed) this.#errors += 1
    else this.#answeredMs += ms
  }

  read(): Stats {
    const answered = this.#messages - this.#errors
    const consumed = this.#consumption()
    return {
      uptimeMs: Math.round(performance.now() - this.#startedAt),
      cpuPercent: consumed ? this.#cpuPercent(consumed) : null,
      memoryBytes: consumed?.memoryBytes ?? null,
      messages: this.#messages,
      errors: this.#errors,
      averageResponseMs: answered === 0 ? null : Math.round(this.#answeredMs / answered),
      pids: consumed?.pids ?? null,
      ...this.#traffic(),
    }
  }

  #cpuPercent({ cpuMs }: Consumption): number {
    const at = performance.now()
    const passed = at - this.#looked.at
    if (passed < momentMs && this.#looked.cpuMs > 0) return this.#looked.percent
    const percent =
      Math.round((Math.max(0, cpuMs - this.#looked.cpuMs) / Math.max(1, passed)) * 1000) / 10
    this.#looked = { at, cpuMs, percent }
    return percent
  }
}

function ownConsumption(): Consumption {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1000, memoryBytes: process.memoryUsage.rss(), pids: 1 }
}
