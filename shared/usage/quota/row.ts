import type { Item, Key } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'

/**
 * A user's month: `used` is what calls have used, `committed` that and what calls under way hold. What they hold is
 * kept by when it expires, five minutes a slot, in attributes `held_<epoch second>`; so
 * `committed = used + the sum of all held_…` after every write, and the row stays small however many calls there are.
 */
export interface QuotaRow {
  used: number
  committed: number
  /** Tokens held by the slot's name. */
  held: ReadonlyMap<string, number>
}

const slotSeconds = 300

/** Longer than any function runs (900 s), so that a hold which outlives it was left by a crash. */
const holdSeconds = 960

const prefix = 'held_'

/** @param month as `monthOf` writes it */
export function quotaKey(userId: string, month: string): Key {
  return { pk: userPartition(userId), sk: `quota#${month}` }
}

/** The slot that a call which begins now holds its tokens in. */
export function slotFor(now: number): string {
  const expiry = now / 1000 + holdSeconds
  return `${prefix}${Math.ceil(expiry / slotSeconds) * slotSeconds}`
}

/** A row as it is stored, or the empty month where there is none. */
export function toQuota(item: Item | undefined): QuotaRow {
  const held = Object.entries(item ?? {}).filter(([name]) => name.startsWith(prefix))
  return {
    used: Number(item?.used ?? 0),
    committed: Number(item?.committed ?? 0),
    held: new Map(held.map(([name, tokens]) => [name, Number(tokens)])),
  }
}

/** The slots whose time is over, with what crashed calls left in them: mostly nothing. */
export function expiredSlots(row: QuotaRow, now: number): [string, number][] {
  return [...row.held].filter(([name]) => Number(name.slice(prefix.length)) * 1000 <= now)
}
