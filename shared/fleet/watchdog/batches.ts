import { chunks } from '../../platform/chunks.ts'
import type { Queues } from '../../platform/queues/port.ts'
import { type Check, checks } from './topic.ts'

/** Agents a message: enough to spread many over few messages, few enough to probe side by side. */
const checksPerMessage = 25

/** Ten messages, which go in one request. */
const checksPerRequest = 10 * checksPerMessage

/** Checks on their way into messages, by how long they are to wait: full requests go at once, the rest when it is flushed. */
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
