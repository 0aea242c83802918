import { functions, type QueueName } from '#shared/manifest/index.ts'
import { RetryAfter } from '#shared/platform/queues/retry-after.ts'
import type { Clock } from './clock.ts'

/** The number of Lambda instances for a queue whose trigger does not set it. */
const defaultConcurrency = 10

interface Message {
  body: unknown
  receives: number
}

export interface Handler {
  /** Returns how long an instance takes for these messages, in milliseconds. */
  lasts(bodies: readonly unknown[]): number
  take(body: unknown): Promise<unknown>
  /** True: the messages of a batch are handled concurrently, as in the platform. False: one by one, to meter each. */
  sideBySide?: boolean
}

/**
 * A queue with the instances of its consumer, as deployed. The effects of a batch happen at the end of its duration.
 */
export class Lanes {
  readonly #clock: Clock
  readonly #batchSize: number
  readonly #maxReceives: number
  #queue: Message[] = []
  #taken = 0
  #free: number
  handle: Handler | undefined
  onDead: () => void = () => undefined

  constructor(clock: Clock, queue: QueueName) {
    const { trigger, instances } = consumerOf(queue)
    this.#clock = clock
    this.#free = instances
    this.#batchSize = trigger.batchSize
    this.#maxReceives = trigger.maxReceives
  }

  /** The number of messages that no instance has received yet. */
  get waiting(): number {
    return this.#queue.length - this.#taken
  }

  post(body: unknown, delayMs: number): void {
    this.#put({ body: structuredClone(body), receives: 0 }, delayMs)
  }

  #put(message: Message, delayMs: number): void {
    this.#clock.after(delayMs, () => {
      this.#queue.push(message)
      // A moment later, so that simultaneous messages form one batch.
      this.#clock.after(1, () => this.#next())
    })
  }

  #next(): void {
    if (this.#free === 0 || this.waiting === 0 || this.handle === undefined) return
    const batch = this.#queue.slice(this.#taken, this.#taken + this.#batchSize)
    this.#taken += batch.length
    if (this.#taken > 10_000) {
      this.#queue = this.#queue.slice(this.#taken)
      this.#taken = 0
    }
    this.#free--
    const { handle } = this
    this.#clock.after(handle.lasts(batch.map(({ body }) => body)), async () => {
      if (handle.sideBySide) await Promise.all(batch.map((message) => this.#take(handle, message)))
      else for (const message of batch) await this.#take(handle, message)
      this.#free++
      this.#next()
    })
  }

  async #take(handle: Handler, message: Message): Promise<void> {
    message.receives++
    try {
      await handle.take(message.body)
    } catch (error) {
      if (message.receives >= this.#maxReceives) return this.onDead()
      const seconds = error instanceof RetryAfter ? error.seconds : 2 ** message.receives
      this.#put(message, seconds * 1000)
    }
  }
}

/** Returns how the consumer of a queue is deployed. */
function consumerOf(queue: QueueName) {
  for (const { trigger, reserved } of functions) {
    if (trigger.kind !== 'queue' || trigger.queue !== queue) continue
    const { maxConcurrency = defaultConcurrency } = trigger
    return { trigger, instances: Math.min(maxConcurrency, reserved ?? maxConcurrency) }
  }
  throw new Error(`nothing takes the messages of ${queue}`)
}
