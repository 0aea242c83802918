import type { Item, Key } from '../../platform/table/port.ts'
import { agentQuotaRows, quotaRows } from '../rows.ts'
import { type Slots, slotsIn } from '../../platform/slots/parts.ts'

/** What a month counts: tokens for the plan's quota, millionths of a US dollar for spend caps. Both are whole numbers. */
export const units = ['tokens', 'microUsd'] as const

export type Unit = (typeof units)[number]

export type Amounts = Readonly<Record<Unit, number>>

/**
 * One unit's part of a month: `used` is what calls have used, `committed` that and what calls under way hold, which is
 * kept in slots; so `committed = used + the sum of all slots` after every write.
 */
export interface Balance {
  used: number
  committed: number
  held: Slots
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

const emptyMonth: Item = { pk: '', sk: '' }

/** A row as it is stored, or the empty month where there is none. */
export function toQuota(item: Item | undefined): QuotaRow {
  const row = quotaRows.parse(item ?? emptyMonth)
  const balance = (unit: Unit): Balance => {
    const names = attributes[unit]
    return {
      used: row[names.used],
      committed: row[names.committed],
      held: slotsIn(row, names),
    }
  }
  return {
    tokens: balance('tokens'),
    microUsd: balance('microUsd'),
    sweepAt: row.sweepAt,
  }
}
