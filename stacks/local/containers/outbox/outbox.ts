import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../store/open.ts'
import type { EventBridgeEvent } from './event.ts'

const firstRetryMs = 50
const longestRetryMs = 5000
/** The time that closing waits for an active delivery. After that, the delivery is repeated at the next start. */
const lastDeliveryMs = 1000

/**
 * An outbox of events. Each is written in the transaction of its change and kept until the receiver has accepted it.
 * Delivery is in order, at least once, one at a time.
 */
export class Outbox {
  readonly #store: Store
  readonly #receive: (event: EventBridgeEvent) => Promise<void>
  readonly #stop = new AbortController()
  #wake = Promise.withResolvers<void>()
  #delivering: Promise<void> = Promise.resolve()
  #closed = false

  constructor(store: Store, receive: (event: EventBridgeEvent) => Promise<void>) {
    this.#store = store
    this.#receive = receive
  }

  /** Stores an event. Must run inside the transaction of the change. */
  add(event: EventBridgeEvent): void {
    this.#store.run('INSERT INTO outbox (event) VALUES (?)', JSON.stringify(event))
    this.#wake.resolve()
  }

  /** Starts the delivery, first of events from earlier runs. */
  start(): void {
    this.#delivering = this.#deliver()
  }

  /** Stops the delivery. Remaining events stay for the next start. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#wake.resolve()
    await Promise.race([this.#delivering, sleep(lastDeliveryMs, undefined, { ref: false })])
    this.#closed = true
  }

  async #deliver(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      const next = this.#store.get('SELECT seq, event FROM outbox ORDER BY seq LIMIT 1')
      if (!next) {
        await this.#wake.promise
        continue
      }
      const accepted = await this.#handOver(JSON.parse(String(next['event'])) as EventBridgeEvent)
      if (!accepted || this.#closed) return
      this.#store.run('DELETE FROM outbox WHERE seq = ?', Number(next['seq']))
    }
  }

  /** Resolves with true when the receiver has accepted the event, or with false if the outbox closes first. */
  async #handOver(event: EventBridgeEvent): Promise<boolean> {
    const { signal } = this.#stop
    let pause = firstRetryMs
    while (!signal.aborted) {
      try {
        await this.#receive(event)
        return true
      } catch (error) {
        process.emitWarning(`A task event was refused and is kept: ${String(error)}`)
        await sleep(pause, undefined, { signal }).catch(() => {})
        pause = Math.min(pause * 2, longestRetryMs)
      }
    }
    return false
  }
}
