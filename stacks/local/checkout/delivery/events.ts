import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { newId } from '../ids.ts'
import type { Store } from '../store/open.ts'

/**
 * The delivery modes of new events: immediately; twice; held until they are released; dropped until a test asks for
 * them by id.
 */
export const deliveryModes = ['normal', 'twice', 'hold', 'drop'] as const

export type DeliveryMode = (typeof deliveryModes)[number]

const states = { normal: 'waiting', twice: 'waiting', hold: 'held', drop: 'dropped' } as const

const delivery = z.object({
  id: z.string(),
  type: z.string(),
  body: z.string(),
  /** The number of 2xx responses that are still required. */
  owed: z.int(),
  attempts: z.int(),
  /** Epoch milliseconds of the next attempt. */
  due_at: z.int(),
})

export type Delivery = z.output<typeof delivery>

/** The API version of the Stripe SDK whose objects are used here. */
const apiVersion = '2026-10-28.endive'

const firstPauseMs = 500
const longestPauseMs = 60_000
/** The time that a payment page waits for the receiver before it redirects, as at Stripe. */
const longestWaitMs = 10_000

/** Events. Each is stored in the transaction of its change and kept until the receiver has accepted it. */
export class Events {
  readonly #store: Store
  readonly #clock: () => number
  #wake: () => void = () => {}
  /** Callbacks after the first attempt, by event id. */
  readonly #waiting = new Map<string, () => void>()

  constructor(store: Store, clock: () => number) {
    this.#store = store
    this.#clock = clock
  }

  /** @param wake called when there may be an event to deliver */
  onWaiting(wake: () => void): void {
    this.#wake = wake
  }

  /**
   * Stores an event. Must run inside the transaction of the change.
   * @param previous for an update, the previous values of the changed attributes
   * @returns its id
   */
  add(type: string, object: object, previous?: object): string {
    const id = newId('evt')
    const event = {
      id,
      object: 'event',
      api_version: apiVersion,
      created: Math.floor(this.#clock() / 1000),
      data: { object, ...(previous && { previous_attributes: previous }) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    }
    const mode = this.mode()
    const sql = 'INSERT INTO event (id, type, body, state, owed) VALUES (?, ?, ?, ?, ?)'
    this.#store.run(sql, id, type, JSON.stringify(event), states[mode], mode === 'twice' ? 2 : 1)
    // The transaction is synchronous, so the courier runs after it.
    setImmediate(() => this.#wake())
    return id
  }

  /** Waits until a new event has been tried once, up to a limit. Does not wait for a held event. */
  async firstTry(id: string): Promise<void> {
    const row = this.#store.get('SELECT state, attempts FROM event WHERE id = ?', id)
    if (row?.['state'] !== 'waiting' || row['attempts'] !== 0) return
    const tried = Promise.withResolvers<void>()
    this.#waiting.set(id, tried.resolve)
    await Promise.race([tried.promise, sleep(longestWaitMs, undefined, { ref: false })])
    this.#waiting.delete(id)
  }

  mode(): DeliveryMode {
    const row = this.#store.get('SELECT mode FROM delivery')
    return z.enum(deliveryModes).parse(row?.['mode'])
  }

  setMode(mode: DeliveryMode): void {
    this.#store.run('UPDATE delivery SET mode = ?', mode)
  }

  /** Releases all held events. @param order the oldest or the newest first */
  release(order: 'oldest' | 'newest'): void {
    const due = order === 'newest' ? '-seq' : '0'
    this.#store.run(`UPDATE event SET state = 'waiting', due_at = ${due} WHERE state = 'held'`)
    this.#wake()
  }

  /** Delivers an event in any state. @returns whether it exists */
  deliver(id: string): boolean {
    if (this.#store.get('SELECT 1 FROM event WHERE id = ?', id) === undefined) return false
    const sql = `UPDATE event SET state = 'waiting', owed = max(owed, 1), due_at = 0 WHERE id = ?`
    this.#store.run(sql, id)
    this.#wake()
    return true
  }

  /** Returns all events without their bodies, newest first. */
  list() {
    return this.#store.all(
      'SELECT id, type, state, attempts, last_status AS "lastStatus" FROM event ORDER BY seq DESC',
    )
  }

  /** Makes all waiting events due, because the receiver may be back. */
  hurry(): void {
    this.#store.run(`UPDATE event SET due_at = min(due_at, 0) WHERE state = 'waiting'`)
  }

  /** Returns the next event to try, due or not. */
  next(): Delivery | undefined {
    const sql = `SELECT id, type, body, owed, attempts, due_at FROM event
      WHERE state = 'waiting' ORDER BY due_at, seq LIMIT 1`
    const row = this.#store.get(sql)
    return row && delivery.parse(row)
  }

  /** @param status the receiver's status; null if it did not respond */
  tried({ id, attempts }: Delivery, status: number | null): void {
    this.#waiting.get(id)?.()
    if (status !== null && status >= 200 && status <= 299) {
      this.#store.run(
        `UPDATE event SET attempts = 0, last_status = ?, owed = owed - 1,
          state = CASE WHEN owed > 1 THEN 'waiting' ELSE 'delivered' END WHERE id = ?`,
        status,
        id,
      )
      return
    }
    const pause = Math.min(firstPauseMs * 2 ** Math.min(attempts, 20), longestPauseMs)
    this.#store.run(
      'UPDATE event SET attempts = attempts + 1, last_status = ?, due_at = ? WHERE id = ?',
      status,
      this.#clock() + pause,
      id,
    )
  }
}
