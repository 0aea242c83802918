import type { Item, Key } from '../../platform/table/port.ts'
import { agentQuotaRows, quotaRows } from '../rows.ts'

/** What a month counts: tokens for the plan's quota, millionths of a US dollar for spend caps. Both are whole numbers. */
export const units = ['tokens', 'microUsd'] as const

export type Unit = (typeof units)[number]

export type Amounts = Readonly<Record<Unit, number>>

/**
 * One unit's part of a month: `used` is what calls have used, `committed` that and what calls under way hold. What
 * they hold is kept by when it expires, five minutes a slot, in attributes `held_<epoch second>`; so
 * `committed = used + the sum of all held_…` after every write, and the row stays small however many calls there are.
 */
export interface Balance {
  used: number
  committed: number
  /** What is held, by the slot's attribute. */
  held: ReadonlyMap<string, number>
}

/** The month of a user, or of one of their agents. */
export interface QuotaRow extends Readonly<Record<Unit, Balance>> {
  /** Epoch second from which a settlement that has not seen the row must look for expired slots. */
  sweepAt: number
}

/** A unit's attributes. */
export const attributes = {
  tokens: { used: 'used', committed: 'committed', held: 'held_' },
  microUsd: { used: 'usedMicroUsd', committed: 'committedMicroUsd', held: 'heldMicroUsd_' },
} as const satisfies Record<Unit, Record<keyof Balance, string>>

const slotSeconds = 300

/** Longer than any function runs (900 s), so that a hold which outlives it was left by a crash. */
const holdSeconds = 960

/** @param month as `monthOf` writes it */
export function quotaKey(userId: string, month: string): Key {
  return quotaRows.key({ userId, month })
}

/** What the sort keys of an agent's months begin with. */
export function agentQuotaPrefix(agentId: string): string {
  return agentQuotaRows.prefix({ agentId })
}

/** An agent's own month, within its owner's partition. */
export function agentQuotaKey(userId: string, agentId: string, month: string): Key {
  return agentQuotaRows.key({ userId, agentId, month })
}

/** The epoch second at which what a call holds expires that begins now: the end of a slot. */
export function expiryFor(now: number): number {
  return Math.ceil((now / 1000 + holdSeconds) / slotSeconds) * slotSeconds
}

const emptyMonth: Item = { pk: '', sk: '' }

/** A row as it is stored, or the empty month where there is none. */
export function toQuota(item: Item | undefined): QuotaRow {
  const row = quotaRows.parse(item ?? emptyMonth)
  const balance = (unit: Unit): Balance => {
    const names = attributes[unit]
    const held = Object.entries(row).filter(([name]) => name.startsWith(names.held))
    return {
      used: row[names.used],
      committed: row[names.committed],
      held: new Map(held.map(([name, amount]) => [name, Number(amount)])),
    }
  }
  return {
    tokens: balance('tokens'),
    microUsd: balance('microUsd'),
    sweepAt: row.sweepAt,
  }
}

/** A unit's slots whose time is over, with what crashed calls left in them: mostly nothing. */
export function expiredSlots(row: QuotaRow, unit: Unit, now: number): [string, number][] {
  const prefix = attributes[unit].held.length
  return [...row[unit].held].filter(([name]) => Number(name.slice(prefix)) * 1000 <= now)
}
