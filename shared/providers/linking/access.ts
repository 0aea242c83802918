import type { Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { written } from '../../platform/table/written.ts'
import type { ProviderName } from '../provider.ts'
import { accessRows } from './rows.ts'

/** Whether a user may sign in by a provider: they may until an event disables it. */
export async function mayUse(
  { table }: { table: Table },
  { userId, provider }: { userId: string; provider: ProviderName },
): Promise<boolean> {
  const row = await userStore(table, userId).get(accessRows.sk({ provider }))
  return row === undefined || !accessRows.parse(row).disabled
}

export interface AccessDecision {
  userId: string
  provider: ProviderName
  disabled: boolean
  /** Of the event among its user's, as a text that sorts by time. */
  order: string
}

/**
 * Disables or enables sign-in by a provider, unless a later event has decided already. Repeating it changes nothing.
 */
export async function setAccess(
  { table }: { table: Table },
  { userId, provider, disabled, order }: AccessDecision,
): Promise<'set' | 'outdated'> {
  const set = await written(
    userStore(table, userId).update(accessRows.sk({ provider }), {
      set: { disabled, order },
      if: 'attribute_not_exists(#order) OR #order <= :order',
      values: { order },
    }),
  )
  return set ? 'set' : 'outdated'
}
