import { ConditionFailed, type Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import type { ProviderName } from '../provider.ts'
import { accessRows } from './rows.ts'

/** Whether a user may sign in by a provider: they may until an event disables it. */
export async function mayUse(
  table: Table,
  userId: string,
  provider: ProviderName,
): Promise<boolean> {
  const row = await userStore(table, userId).get(accessRows.sk({ provider }))
  return row === undefined || !accessRows.parse(row).disabled
}

/**
 * Disables or enables sign-in by a provider, unless a later event has decided already. Repeating it changes nothing.
 * @param order of the event among its user's, as a text that sorts by time
 */
export async function setAccess(
  table: Table,
  userId: string,
  provider: ProviderName,
  { disabled, order }: { disabled: boolean; order: string },
): Promise<'set' | 'outdated'> {
  try {
    await userStore(table, userId).update(accessRows.sk({ provider }), {
      set: { disabled, order },
      if: 'attribute_not_exists(#order) OR #order <= :order',
      values: { order },
    })
    return 'set'
  } catch (error) {
    if (error instanceof ConditionFailed) return 'outdated'
    throw error
  }
}
