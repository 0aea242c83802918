import { PlatformError } from '../errors.ts'
import { createLog } from '../log.ts'
import { ConditionFailed, type Item, type Table, type Update } from '../table/port.ts'
import { overtaken, retryOptimistically } from '../table/retry-optimistically.ts'
import {
  expiryFor,
  releaseSlot,
  acquireSlot,
  moveSlot,
  type Lease,
  type SlotNames,
  type Slots,
  slotsIn,
  sweepPart,
} from './parts.ts'
import { openRows } from './rows.ts'

/** The limit of open requests of one kind per holder. */
export interface OpenLimit {
  /** Routes that name the same kind share its slots. */
  kind: string
  most: number
  /** The name of the requests in the plural, for the error message. */
  what: string
}

/** A slot of a holder. */
export interface OpenSlot {
  /** Releases the slot. Later calls do nothing. Never throws: if the write fails, the slot expires. */
  release(): Promise<void>
  /**
   * Occupies the slot until a time, even after the process has ended. A later release does nothing.
   * @param until epoch seconds, at most a day from now
   * @returns the number of the holder's slots that are occupied this way
   */
  keepUntil(until: number): Promise<number>
}

const names: SlotNames = { committed: 'committed', held: 'held_' }

/** A slot is renewed while it is in use. The slots of a killed process are free after 60 to 75 seconds. */
const lease: Lease = { holdSeconds: 60, slotSeconds: 15 }

const renewMs = 20_000

/** The retention of a row after its last renewal: longer than a slot can be occupied. */
const retentionSeconds = 90_000

/** Seconds after which a refused caller may try again, if requests that end take the slots. */
const retrySeconds = 10

type Writes = Pick<Table, 'update'>

/**
 * Takes a slot of a holder until it is released or the process ends. @throws PlatformError 429 TOO_MANY_OPEN if all
 * slots are in use
 */
export async function openSlot(
  table: Writes,
  { kind, most, what }: OpenLimit,
  holder: string,
): Promise<OpenSlot> {
  const slot = new HeldSlot(table, openRows.key({ kind, holder }))
  if (!(await slot.take(most))) throw tooManyOpen({ most, what }, slot.retryAfter(most))
  return slot
}

/** Returns 429 TOO_MANY_OPEN. */
export function tooManyOpen(
  { most, what }: Pick<OpenLimit, 'most' | 'what'>,
  retryAfter = retrySeconds,
): PlatformError {
  const message = `${most} ${what} ${most === 1 ? 'is' : 'are'} open; close one first`
  const headers = { 'Retry-After': String(retryAfter) }
  return new PlatformError('too-many-requests', message, { code: 'TOO_MANY_OPEN', headers })
}

class HeldSlot implements OpenSlot {
  readonly #table: Writes
  readonly #key: ReturnType<typeof openRows.key>
  #expiry = 0
  /** The slots of the row as last read. */
  #slots: Slots | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  /** The chain of renewals. They run one after another, and the release runs last. */
  #writing: Promise<void> = Promise.resolve()

  constructor(table: Writes, key: ReturnType<typeof openRows.key>) {
    this.#table = table
    this.#key = key
  }

  async take(most: number): Promise<boolean> {
    return retryOptimistically(async () => {
      const now = Date.now()
      const expiry = expiryFor(now, lease)
      const expired = sweepPart(names, this.#slots, now)
      const left = -(expired.add[names.committed] ?? 0)
      if (this.#slots !== undefined && total(this.#slots) - left >= most) return false
      const isTaken = await this.#write({
        set: { expiresAt: expiry + retentionSeconds },
        add: { ...acquireSlot(names, { amount: 1, expiry }), [names.committed]: 1 - left },
        remove: expired.remove,
        if: [
          '(attribute_not_exists(#committed) OR #committed < :room)',
          ...expired.conditions,
        ].join(' AND '),
        values: { room: most + left, ...expired.values },
      })
      if (!isTaken) return overtaken
      this.#expiry = expiry
      this.#timer = setInterval(() => {
        // After an error, the next renewal retries. In the worst case another request gets the slot too early.
        this.#writing = this.#writing.then(() => this.#renew()).catch(() => {})
      }, renewMs)
      return true
    })
  }

  async release(): Promise<void> {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#writing
    await retryOptimistically(async () => {
      const hold = { amount: 1, expiry: this.#expiry }
      const { conditions, ...part } = releaseSlot(names, hold, this.#slots, Date.now())
      if (conditions.length === 0) return true
      return (await this.#write({ ...part, if: conditions.join(' AND ') })) || overtaken
    }).catch((error: unknown) =>
      createLog().warn('a slot was not released and will expire', { error }),
    )
  }

  async keepUntil(until: number): Promise<number> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#writing
    // A slot that was not renewed in time has been swept.
    if (!(await this.#move(until)))
      await this.#write({
        set: { expiresAt: until + retentionSeconds },
        add: acquireSlot(names, { amount: 1, expiry: until }),
      })
    return this.#kept().amount
  }

  /** Returns the seconds until a slot is free: if occupied slots fill the row, until the first of them expires. */
  retryAfter(most: number): number {
    const { amount, firstExpiry } = this.#kept()
    return amount < most ? retrySeconds : Math.ceil(firstExpiry - Date.now() / 1000)
  }

  /**
   * Returns the slots that expire later than the slot of any open request, with their first expiry in epoch seconds.
   */
  #kept(): { amount: number; firstExpiry: number } {
    const longest = expiryFor(Date.now(), lease)
    const kept = { amount: 0, firstExpiry: Infinity }
    for (const [name, amount] of this.#slots ?? []) {
      const expiry = Number(name.slice(names.held.length))
      if (expiry <= longest || amount <= 0) continue
      kept.amount += amount
      kept.firstExpiry = Math.min(kept.firstExpiry, expiry)
    }
    return kept
  }

  /** Moves the slot to a later expiry. A slot that was not renewed in time has been swept and is lost. */
  async #renew(): Promise<void> {
    const expiry = expiryFor(Date.now(), lease)
    if (await this.#move(expiry)) this.#expiry = expiry
  }

  /** Moves the slot to another expiry in epoch seconds. @returns false if the slot has been swept */
  async #move(expiry: number): Promise<boolean> {
    if (expiry === this.#expiry) return true
    return this.#write({
      set: { expiresAt: expiry + retentionSeconds },
      ...moveSlot(names, { from: this.#expiry, to: expiry }),
    })
  }

  /** @returns false if the conditions failed; the row is read in both cases */
  async #write(update: Update): Promise<boolean> {
    try {
      this.#slots = slotsOf(await this.#table.update(this.#key, update))
      return true
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      this.#slots = slotsOf(error.item)
      return false
    }
  }
}

function slotsOf(item: Item | undefined): Slots {
  return item === undefined ? new Map() : slotsIn(openRows.parse(item), names)
}

function total(slots: Slots): number {
  return [...slots.values()].reduce((sum, amount) => sum + amount, 0)
}
