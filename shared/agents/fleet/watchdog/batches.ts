import { chunks } from '#shared/platform/chunks.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { type Check, checks } from './topic.ts'

/** Agents per message: many enough to need few messages, few enough to probe in parallel. */
const checksPerMessage = 25

/** Ten messages, which are sent in one request. */
const checksPerRequest = 10 * checksPerMessage

/** Collects checks into messages, by their delay. Full requests are sent immediately, the rest by `flush`. */
export class CheckBatches {
  readonly #queues: Queues<'checks'>
  readonly #waiting = new Map<number, Check[]>()

  constructor(queues: Queues<'checks'>) {
    this.#queues = queues
  }

  async add(check: Check, delaySeconds = 0): Promise<void> {
    const delay = Math.max(0, Math.ceil(delaySeconds))
    const some = this.#waiting.get(delay) ?? []
    this.#waiting.set(delay, some)
    some.push(check)
    if (some.length === checksPerRequest) await this.#send(delay)
  }

  async flush(): Promise<void> {
    for (const delay of this.#waiting.keys()) await this.#send(delay)
  }

  async #send(delaySeconds: number): Promise<void> {
    const some = this.#waiting.get(delaySeconds) ?? []
    this.#waiting.delete(delaySeconds)
    const messages = chunks(some, checksPerMessage).map((agents) => ({ agents }))
    await this.#queues.sendAll(checks, messages, { delaySeconds })
  }
}
