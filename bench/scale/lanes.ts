import { functions, type QueueName } from '../../shared/manifest/index.ts'
import { RetryAfter } from '../../shared/platform/queues/retry-after.ts'
import type { Clock } from './clock.ts'

/** How many instances Lambda runs for a queue whose trigger does not say. */
const defaultConcurrency = 10

interface Message {
  body: unknown
  receives: number
}

export interface Handler {
  /** How long an instance takes for such messages, in milliseconds. */
  lasts(bodies: readonly unknown[]): number
  take(body: unknown): Promise<unknown>
  /** Whether the messages of a batch are handled at once, as the platform does; else one by one, so that each can be metered. */
  sideBySide?: boolean
}

/**
 * A queue and the instances that take its messages, as many and as they are deployed. What they do is done at the end of
 * the time that it takes.
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

  /** Messages that no instance of the function has taken yet. */
  get waiting(): number {
    return this.#queue.length - this.#taken
  }

  post(body: unknown, delayMs: number): void {
    this.#put({ body: structuredClone(body), receives: 0 }, delayMs)
  }

  #put(message: Message, delayMs: number): void {
    this.#clock.after(delayMs, () => {
      this.#queue.push(message)
      // A moment later, so that what comes together is taken together.
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

/** How the function that takes a queue's messages is deployed. */
function consumerOf(queue: QueueName) {
  for (const { trigger, reserved } of functions) {
    if (trigger.kind !== 'queue' || trigger.queue !== queue) continue
    const { maxConcurrency = defaultConcurrency } = trigger
    return { trigger, instances: Math.min(maxConcurrency, reserved ?? maxConcurrency) }
  }
  throw new Error(`nothing takes the messages of ${queue}`)
}
