import { type SlotNames, type Slots, slotsIn } from '#shared/platform/slots/parts.ts'
import type { Item, Key } from '#shared/platform/table/port.ts'
import { agentQuotaRows, quotaRows, spendRows } from '../rows.ts'

/**
 * The units of a month: tokens for the plan's quota, and millionths of a US dollar for spend caps. Both are integers.
 */
export const units = ['tokens', 'microUsd'] as const

export type Unit = (typeof units)[number]

export type Amounts = Readonly<Record<Unit, number>>

/**
 * One unit of a month. `used` is the usage of settled calls. `committed` also contains the holds of calls in progress,
 * which are stored in slots: after every write, `committed = used + the sum of all slots`.
 */
export interface Balance {
  used: number
  committed: number
  held: Slots
}

/** The month of a user, or of one of their agents. */
export interface QuotaRow extends Readonly<Record<Unit, Balance>> {
  /** Epoch seconds. From this time, a settlement that has not read the row must sweep expired slots. */
  sweepAt: number
  /** The user's open calls of models that began in this month. */
  open: Omit<Balance, 'used'>
  /** True once a spend row contains the earlier spending of its period. */
  begun: boolean
}

/** The attribute names of each unit. */
export const attributes = {
  tokens: { used: 'used', committed: 'committed', held: 'held_' },
  microUsd: { used: 'usedMicroUsd', committed: 'committedMicroUsd', held: 'heldMicroUsd_' },
} as const satisfies Record<Unit, Record<keyof Balance, string>>

/** The attribute names of the open calls. */
export const openCalls = { committed: 'openCalls', held: 'openCalls_' } as const satisfies SlotNames

/** @param month in the format of `monthOf` */
export function quotaKey(userId: string, month: string): Key {
  return quotaRows.key({ userId, month })
}

/** Returns the prefix of the sort keys of an agent's months. */
export function agentQuotaPrefix(agentId: string): string {
  return agentQuotaRows.prefix({ agentId })
}

/** Returns the key of an agent's month, in its owner's partition. */
export function agentQuotaKey(userId: string, agentId: string, month: string): Key {
  return agentQuotaRows.key({ userId, agentId, month })
}

/** Returns the prefix of the sort keys of a spender's days and months. @param spender the id of an agent or a key */
export function spendPrefix(spender: string): string {
  return spendRows.prefix({ spender })
}

/** @param period a month in the format of `monthOf`, or a day in the format of `dayOf` */
export function spendKey(userId: string, spender: string, period: string): Key {
  return spendRows.key({ userId, spender, period })
}

const emptyMonth: Item = { pk: '', sk: '' }

/** Parses a stored row; without a row, returns an empty month. */
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
    open: { committed: row.openCalls, held: slotsIn(row, openCalls) },
    begun: row.begunAt !== undefined,
  }
}
